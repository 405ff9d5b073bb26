package chunk

// MarkdownIn is Markdown with another number of bytes parsed at once.
var MarkdownIn = markdownNote
