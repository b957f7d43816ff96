// Reads the prose of a TypeScript or JavaScript file: comments, doc comments, and the texts of
// messages and titles. What it gives is a tree as textlint takes it, with the places in the file.
'use strict';

const ts = require('typescript');

// two words with a blank between, so neither names nor paths nor keys
const PROSE = /[A-Za-z]{2,}[,;:)]? [a-z]/;
// quotations: in backticks or double quotes, blocks of code and tags of a doc comment with what
// they name
const QUOTED =
  /```[^]*?```|`[^`\n]*`|"[^"\n]*"|“[^”]*”|@(?:see|example|link|linkcode)\b[^\n]*(?:\n\s*\*(?!\s*(?:\/|@|\n))[^\n]*)*|https?:\/\/\S+/g;
const WAIVER = /words-ok: *\S/;

/**
 * A plugin of textlint, which takes `quotations`: names of properties whose texts are the words of
 * servers.
 */
class TypeScriptProcessor {
  constructor({ quotations = [] } = {}) {
    this.quotations = new Set(quotations);
  }

  availableExtensions() {
    return ['.ts', '.tsx', '.js', '.mjs'];
  }

  processor() {
    return {
      preProcess: (text, file) =>
        documentOf(text, textsOf(text, file ?? 'file.ts', this.quotations)),
      postProcess: (messages, filePath) => ({ messages, filePath }),
    };
  }
}

/**
 * Names that the file declares, as words: { position, words }. Those of quotations are as servers
 * have them.
 */
function namesOf(text, file, quotations) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const names = [];
  const visit = (node) => {
    if (
      node.name &&
      ts.isIdentifier(node.name) &&
      !ts.isPropertyAccessExpression(node) &&
      !quotations.includes(node.name.text)
    ) {
      const { text: name } = node.name;
      names.push({
        position: node.name.getStart(source),
        words: name
          .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
          .replace(/_/g, ' ')
          .toLowerCase(),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** The ranges of all texts. */
function textsOf(text, file, quotations) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const comments = new Map();
  const ranges = [];
  const visit = (node) => {
    // twice the same where a node begins where its parent does
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ]) {
      comments.set(pos, end);
    }
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      return;
    }
    if (ts.isPropertyAssignment(node) && quotations.has(node.name.getText(source))) {
      return;
    }
    if ((ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && PROSE.test(node.text)) {
      ranges.push([node.getStart(source) + 1, node.end - 1]);
    }
    // tokens too, for the comments before a closing bracket
    for (const child of node.getChildren(source)) {
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) {
        visit(child);
      }
    }
  };
  visit(source);
  return [...ranges, ...blocksOf(text, comments)];
}

/** Comments: lines below each other are one. */
function blocksOf(text, comments) {
  const blocks = [];
  for (const [pos, end] of [...comments].sort(([a], [b]) => a - b)) {
    const last = blocks.at(-1);
    const line = text.startsWith('//', pos);
    if (line && last?.line && /^\r?\n[ \t]*$/.test(text.slice(last.end, pos))) {
      last.end = end;
    } else {
      blocks.push({ pos, end, line });
    }
  }
  return blocks.map(({ pos, end }) => [pos, end]);
}

/** A tree of paragraphs, one a text, without quotations and lines that are let through. */
function documentOf(text, ranges) {
  const lines = linesOf(text);
  const node = (type, [start, end], children) => ({
    type,
    raw: text.slice(start, end),
    range: [start, end],
    loc: { start: lines.at(start), end: lines.at(end) },
    ...children,
  });
  const children = ranges
    .sort(([a], [b]) => a - b)
    .map((range) =>
      node('Paragraph', range, {
        children: partsOf(text, range, lines.waived).map((part) =>
          node('Str', part, { value: text.slice(...part) }),
        ),
      }),
    );
  return node('Document', [0, text.length], { children });
}

/** The parts of a text between quotations and lines that are let through. */
function partsOf(text, [start, end], waived) {
  const holes = [
    ...[...text.slice(start, end).matchAll(QUOTED)].map(({ index, 0: quoted }) => [
      start + index,
      start + index + quoted.length,
    ]),
    ...waived.filter(([from, to]) => from < end && to > start),
  ].sort(([a], [b]) => a - b);
  const parts = [];
  let from = start;
  for (const [open, close] of holes) {
    if (open > from) {
      parts.push([from, open]);
    }
    from = Math.max(from, close);
  }
  if (end > from) {
    parts.push([from, end]);
  }
  return parts;
}

function linesOf(text) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const waived = starts.flatMap((start, index) => {
    const next = starts[index + 1] ?? text.length;
    const line = text.slice(start, next);
    if (!WAIVER.test(line)) {
      return [];
    }
    // alone on its line, it is about the next
    return [[start, /^\s*(?:\/\/|\/?\*)/.test(line) ? (starts[index + 2] ?? text.length) : next]];
  });
  const at = (position) => {
    let low = 0;
    for (let high = starts.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= position) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return { line: low + 1, column: position - starts[low] };
  };
  return { at, waived };
}

module.exports = { TypeScriptProcessor, WAIVER, namesOf };
