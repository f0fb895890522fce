/**
 * Marks calls that bundlers may drop, and takes the documentation out of what runs: the declarations have it, and every start would
 * read past it.
 */
export default {
  plugins: ["annotate-pure-calls"],
  shouldPrintComment: (comment) => /^[#@]__PURE__$/u.test(comment.trim())
}
