/**
 * Marks calls that bundlers may drop, and removes docs from the JavaScript: the declarations keep them, and without
 * them programs start faster.
 */
export default {
  plugins: ["annotate-pure-calls"],
  shouldPrintComment: (comment) => /^[#@]__PURE__$/u.test(comment.trim())
}
