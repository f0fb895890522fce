/**
 * The version of the package; a test keeps it equal to `package.json`.
 *
 * @since 0.1.0
 */
export const version = "0.1.0"
