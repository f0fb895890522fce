/**
 * Marks calls that bundlers may drop, and removes docs from the JavaScript: the declarations keep them, and every start
 * would have to read past them.
 */
export default {
  plugins: ["annotate-pure-calls"],
  shouldPrintComment: (comment) => /^[#@]__PURE__$/u.test(comment.trim())
}
