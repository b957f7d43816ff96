// Writes types of an assembly of jsii as Markdown. Headings are names of types alone, so that a
// link to `page.md#type` is never ambiguous.
'use strict';

const { nameOf } = require('./pages');

const MANY = 8;
const PRIMITIVES = { json: 'object', date: 'Date' };

/**
 * Of a type: heading, docs, links, and tables of its members. `link` gives the address of a type of
 * this assembly, from the page.
 */
function typeSection(type, types, link, heading, links = '') {
  const members = {
    properties: inherited(type, types, 'properties'),
    methods: inherited(type, types, 'methods'),
  };
  const parts = [`${heading} ${type.name}`, declarationOf(type, link), docsOf(type.docs), links];
  if (type.kind === 'enum') {
    parts.push(
      table(
        ['member', 'meaning'],
        type.members.map(({ name, docs }) => [code(name), cellOf(docs)]),
      ),
    );
  } else {
    const statics = members.methods.filter((method) => method.static);
    const constants = members.properties.filter((property) => property.static);
    const own = members.properties.filter((property) => !property.static);
    parts.push(
      type.initializer ? initializerOf(type, link) : '',
      callables('Static methods', statics, type, link),
      properties(`${type.kind === 'class' ? 'Constants' : ''}`, constants, link, { type, types }),
      properties(type.datatype ? '' : 'Properties', own, link, { type, types }),
      callables(
        'Methods',
        members.methods.filter((method) => !method.static),
        type,
        link,
      ),
    );
  }
  return parts.filter(Boolean).join('\n\n');
}

/**
 * Members of a type and of what it extends in this assembly, each name once: what a program must
 * set first, then its own before those of all.
 */
function inherited(type, types, key) {
  const found = new Map();
  const visit = (each, depth) => {
    for (const member of each[key] ?? []) {
      // static members of a base are called by the name of the base
      if (!found.has(member.name) && !member.protected && (depth === 0 || !member.static)) {
        found.set(member.name, { member, depth });
      }
    }
    for (const fqn of [
      ...(each.base ? [each.base] : []),
      ...(each.kind === 'interface' ? (each.interfaces ?? []) : []),
    ]) {
      const other = types.get(nameOf(fqn));
      if (other) {
        visit(other, depth + 1);
      }
    }
  };
  visit(type, 0);
  const isOptional = ({ member }) => Number(type.datatype === true && member.optional === true);
  const order = (a, b) =>
    isOptional(a) - isOptional(b) || a.depth - b.depth || (a.member.name < b.member.name ? -1 : 1);
  return [...found.values()].sort(order).map(({ member }) => member);
}

function declarationOf(type, link) {
  const bases = [...(type.base ? [type.base] : []), ...(type.interfaces ?? [])].map((fqn) =>
    typeText({ fqn }, link),
  );
  const what =
    type.kind === 'enum'
      ? 'enum'
      : type.kind === 'class'
        ? `${type.abstract ? 'abstract ' : ''}class`
        : type.datatype
          ? 'struct'
          : 'interface';
  return `*${what}*${bases.length > 0 ? `, extends ${bases.join(', ')}` : ''}`;
}

function docsOf(docs = {}) {
  const { summary, remarks, see, example, deprecated } = docs;
  return [
    deprecated === undefined ? '' : `**Deprecated:** ${deprecated}`,
    [summary, remarks].filter(Boolean).join('\n\n'),
    see ? `See ${see.startsWith('http') ? `<${see}>` : sourceOf(see)}.` : '',
    example ? `\`\`\`ts\n${example.trim()}\n\`\`\`` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Docs on one line, for a cell of a table. */
function cellOf(docs = {}, more = '') {
  const { summary, remarks, see, deprecated } = docs;
  return [
    deprecated === undefined ? '' : `**Deprecated:** ${deprecated}`,
    summary,
    remarks,
    more,
    see ? `See ${sourceOf(see)}.` : '',
  ]
    .filter(Boolean)
    .join(' ')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
    .trim();
}

// the compiler takes `owner/repository:path` apart at the first slash
function sourceOf(see) {
  return see.replace(/^([\w.-]+) \//, '$1/').replace(/\.$/, '');
}

function initializerOf(type, link) {
  const { parameters = [] } = type.initializer;
  return `\`\`\`ts\nnew ${type.name}(${signatureOf(parameters)})\n\`\`\`${parameterList(parameters, link)}`;
}

function callables(title, methods, type, link) {
  if (methods.length === 0) {
    return '';
  }
  const items = methods.map((method) => {
    const returned = method.returns
      ? `: ${typeText(method.returns.type, link)}${method.returns.optional ? ' \\| undefined' : ''}`
      : '';
    const text = cellOf(method.docs);
    return (
      `- ${code(`${method.static ? `${type.name}.` : ''}${method.name}(${namesOf(method.parameters)})`)}${returned}${text ? `<br>${text}` : ''}` +
      parameterList(method.parameters ?? [], link)
        .replace(/\n+/g, '\n')
        .replace(/\n-/g, '\n  -')
    );
  });
  return `**${title}**\n\n${items.join('\n')}`;
}

// the scope and the ID of a construct are the same everywhere: listed only with a comment of their
// own
function parameterList(all, link) {
  const parameters = all.filter(
    ({ name, docs }) => !['scope', 'id'].includes(name) || cellOf(docs),
  );
  if (parameters.length === 0) {
    return '';
  }
  const lines = parameters.map(({ name, type, optional, docs }) => {
    const text = cellOf(docs);
    return `- ${code(name)}${optional ? ' (optional)' : ''}: ${typeText(type, link)}${text ? `: ${text}` : ''}${defaultOf(docs)}`;
  });
  return `\n\n${lines.join('\n')}`;
}

function properties(title, list, link, { type, types }) {
  if (list.length === 0) {
    return '';
  }
  const rows = list.map((property) => [
    code(
      `${property.static ? `${type.name}.` : ''}${property.name}${property.optional ? '?' : ''}`,
    ),
    typeText(property.type, link),
    cellOf(
      property.docs,
      [
        type.datatype ? valuesOf(types.get(nameOf(property.type.fqn ?? ''))) : '',
        defaultOf(property.docs).trim(),
      ]
        .filter(Boolean)
        .join(' '),
    ),
  ]);
  return `${title ? `**${title}**\n\n` : ''}${table([type.datatype ? 'prop' : 'property', 'type', 'meaning'], rows)}`;
}

/**
 * The values of an enum, and those that a class offers, of which a program creates none itself;
 * many are only in their own table.
 */
function valuesOf(type) {
  if (!type || type.initializer) {
    return '';
  }
  const statics = [
    ...(type.properties ?? []),
    ...(type.methods ?? []).map(({ name, ...rest }) => ({ ...rest, name: `${name}()` })),
  ].filter((member) => member.static);
  const values = (type.members ?? statics).map(({ name }) => code(name));
  return values.length > 0 && values.length <= MANY ? `*Values:* ${values.join(', ')}.` : '';
}

function defaultOf(docs) {
  return docs?.default === undefined
    ? ''
    : ` *Default:* ${docs.default.replace(/^- /, '').replace(/\.$/, '')}.`;
}

function typeText(reference, link) {
  if (reference.fqn) {
    const name = nameOf(reference.fqn);
    const address = link(reference.fqn);
    return address ? `[\`${name}\`](${address})` : code(name);
  }
  if (reference.collection) {
    const element = typeText(reference.collection.elementtype, link);
    return reference.collection.kind === 'array' ? `${element}[]` : `map of ${element}`;
  }
  if (reference.union) {
    return reference.union.types.map((type) => typeText(type, link)).join(' \\| ');
  }
  return code(PRIMITIVES[reference.primitive] ?? reference.primitive);
}

function signatureOf(parameters = []) {
  const plain = (reference) => typeText(reference, () => undefined).replace(/[`]|\\/g, '');
  return parameters
    .map(
      ({ name, optional, variadic, type }) =>
        `${variadic ? '...' : ''}${name}${optional ? '?' : ''}: ${plain(type)}`,
    )
    .join(', ');
}

function namesOf(parameters = []) {
  return parameters
    .map(({ name, optional, variadic }) => `${variadic ? '...' : ''}${name}${optional ? '?' : ''}`)
    .join(', ');
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function code(text) {
  return `\`${text}\``;
}

module.exports = { table, typeSection };
