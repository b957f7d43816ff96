// Breaks code into lines. A piece of code is a text, a list of pieces, a group of items in brackets,
// or a chain of calls; groups and chains are on one line where they fit.
'use strict';

/**
 * Items between brackets.
 *
 * @param options `hug`: the last item may break alone; `trailing`: a separator after the last item
 *   of broken lines; `pad`: spaces inside of the brackets of one line; `isBroken`: never on one line
 */
function group(open, items, close, options = {}) {
  return { open, items, close, ...options };
}

/** A head and calls, each on its own line where they do not fit. */
function chain(head, links) {
  return { head, links };
}

function flat(piece) {
  if (typeof piece === 'string') {
    return piece;
  }
  if (Array.isArray(piece)) {
    return piece.map(flat).join('');
  }
  if (piece.links) {
    return flat([piece.head, ...piece.links]);
  }
  const inner = piece.items.map(flat).join(', ');
  const space = piece.pad && inner !== '' ? ' ' : '';
  return `${piece.open}${space}${inner}${space}${piece.close}`;
}

function isBroken(piece) {
  if (typeof piece === 'string') {
    return piece.includes('\n');
  }
  if (Array.isArray(piece)) {
    return piece.some(isBroken);
  }
  if (piece.links) {
    return isBroken(piece.head) || piece.links.some(isBroken);
  }
  return piece.isBroken === true || piece.items.some(isBroken);
}

/** How much of a piece is on its first line at least. */
function lead(piece) {
  if (typeof piece === 'string') {
    return piece.length;
  }
  if (Array.isArray(piece)) {
    return piece.length === 0 ? 0 : lead(piece[0]);
  }
  return piece.links ? lead(piece.head) : piece.open.length;
}

/**
 * A piece as text.
 *
 * @param options `unit`: one step of indentation; `tab`: how wide it is; `width`: of a line
 * @param at `indent`: steps; `column`: where it begins; `after`: what follows on its last line
 */
function render(piece, options, at) {
  if (typeof piece === 'string') {
    return piece;
  }
  const { unit, tab = unit.length, width } = options;
  const line = (indent) => `\n${unit.repeat(indent)}`;
  const widthOf = (text) => {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const steps = text.includes('\n') ? /^\t*/.exec(last)[0].length : 0;
    return last.length + steps * (tab - 1);
  };
  const columnAfter = (text, column) =>
    text.includes('\n') ? widthOf(text) : column + text.length;
  if (Array.isArray(piece)) {
    let text = '';
    piece.forEach((part, index) => {
      const rest = piece.slice(index + 1);
      const after = rest.length === 0 ? at.after : lead(rest[0]);
      text += render(part, options, { ...at, column: columnAfter(text, at.column), after });
    });
    return text;
  }
  if (!isBroken(piece) && at.column + flat(piece).length + at.after <= width) {
    return flat(piece);
  }
  const indent = at.indent + 1;
  const inner = { indent, column: indent * tab };
  if (piece.links) {
    const head = isBroken(piece.head)
      ? render(piece.head, options, { ...at, after: 0 })
      : flat(piece.head);
    const links = piece.links.map(
      (link, index) =>
        line(indent) +
        render(link, options, {
          ...inner,
          after: index === piece.links.length - 1 ? at.after : 0,
        }),
    );
    return head + links.join('');
  }
  const hugged = hug(piece, options, at);
  if (hugged !== undefined) {
    return hugged;
  }
  if (piece.items.length === 0) {
    return flat(piece);
  }
  const items = piece.items.map((item, index) => {
    const isLast = index === piece.items.length - 1;
    const separator = isLast && !piece.trailing ? '' : ',';
    return render(item, options, { ...inner, after: separator.length }) + separator;
  });
  const lines = piece.finish ? piece.finish(items) : items;
  return `${piece.open}${lines.map((each) => line(indent) + each).join('')}${line(at.indent)}${piece.close}`;
}

/** The group with only its last item broken, if the others are on one line before it. */
function hug(piece, options, at) {
  const last = piece.items.at(-1);
  if (!piece.hug || last === undefined || typeof last === 'string' || last.links) {
    return undefined;
  }
  const others = piece.items.slice(0, -1);
  const start = `${piece.open}${others.map((each) => `${flat(each)}, `).join('')}`;
  const column = at.column + start.length;
  if (others.some(isBroken) || column + lead(last) > options.width) {
    return undefined;
  }
  const after = at.after + piece.close.length;
  return `${start}${render(last, options, { ...at, column, after })}${piece.close}`;
}

module.exports = { chain, group, render };
