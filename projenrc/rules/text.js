// Texts of rules in Markdown.
'use strict';

/** The anchor of a rule on the page of its family, as GitHub makes it. */
function anchorOf(id) {
  return id.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, '');
}

function oneLine(value) {
  return value.replace(/\s*\n\s*/g, ' ');
}

/** On one line, and without markup, except for code in backticks. */
function line(value) {
  return oneLine(value)
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[<*[\]]/g, '\\$&')))
    .join('');
}

module.exports = { anchorOf, line, oneLine };
