// Writes types of an assembly of jsii as Markdown. Headings are names of types, and of their props
// with the name of the type: a link to `page.md#type` or `page.md#prop-type` is never ambiguous.
// There are no tables, whose columns a phone hides.
'use strict';

const { nameOf } = require('./pages');

const MANY = 8;
const PRIMITIVES = { json: 'object', date: 'Date' };

/**
 * Of a type: heading, docs, facts, and its members. `link` gives the address of a type of this
 * assembly, from the page; `facts` what is known of the type, as `factsOf` gives it.
 */
function typeSection(type, types, link, heading, facts = {}) {
  const members = {
    properties: inherited(type, types, 'properties'),
    methods: inherited(type, types, 'methods'),
  };
  const ofMembers = (list) => list.map(({ member }) => member);
  const parts = [
    `${heading} ${type.name}`,
    docsOf(type.docs, facts),
    declarationOf(type, link),
    facts.links ?? '',
    yamlBlock(facts.yaml),
  ];
  if (type.kind === 'enum') {
    parts.push(type.members.map(({ name, docs }) => item(code(name), cellOf(docs))).join('\n'));
  } else if (type.datatype) {
    parts.push(props(type, members.properties, { link, types, editOf: facts.editOf }));
  } else {
    const statics = ofMembers(members.methods.filter(({ member }) => member.static));
    const constants = ofMembers(members.properties.filter(({ member }) => member.static));
    const own = ofMembers(members.properties.filter(({ member }) => !member.static));
    parts.push(
      type.initializer ? initializerOf(type, link) : '',
      callables('Static methods', statics, type, link),
      properties('Constants', constants, link, type),
      properties('Properties', own, link, type),
      callables(
        'Methods',
        ofMembers(members.methods.filter(({ member }) => !member.static)),
        type,
        link,
      ),
    );
  }
  return parts.filter(Boolean).join('\n\n');
}

/** As many lines as are shown at once. */
const LONG = 60;

function yamlBlock(yaml = '') {
  if (yaml === '') {
    return '';
  }
  const block = `\`\`\`yaml\n${yaml}\n\`\`\``;
  return yaml.split('\n').length > LONG
    ? `<details>\n<summary>It writes ${yaml.split('\n').length} lines</summary>\n\n${block}\n\n</details>`
    : `It writes:\n\n${block}`;
}

function item(name, text) {
  return `- ${name}${text ? `: ${text}` : ''}`;
}

/** The heading of a prop: its name, and that of the type, or of the construct whose props they are. */
function headingOf(type, types, prop) {
  const owner = type.name.replace(/Props$/, '');
  return `${prop} (${types.has(owner) ? owner : type.name})`;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** What a program must set first, then what it may set; inherited props are on their own page. */
function props(type, all, { link, types, editOf = () => undefined }) {
  const isFolded = ({ member, depth }) => member.optional === true && depth > 0;
  const entries = all.filter((each) => !isFolded(each)).map(({ member }) => entry(member));
  const folded = all.filter(isFolded);
  return [...entries, ...(folded.length > 0 ? [inheritedList(folded)] : [])].join('\n\n');

  function entry(prop) {
    const { type: of, optional, docs } = prop;
    const edit = editOf(type.name, prop.name);
    return [
      `### ${headingOf(type, types, prop.name)}`,
      `${typeText(of, link)}, ${optional ? 'optional' : '**required**'}.${defaultOf(docs)}`,
      [prose(docs), valuesOf(types.get(nameOf(of.fqn ?? '')))].filter(Boolean).join(' '),
      edit ? `*An edit:* ${edit}.` : '',
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  function inheritedList(list) {
    const lines = list.map(({ member, owner }) => {
      const [page] = link(owner.fqn).split('#');
      const anchor = anchorOf(headingOf(owner, types, member.name));
      return item(`[${code(member.name)}](${page}#${anchor})`, sentenceOf(member.docs));
    });
    return `<details>\n<summary>Inherited: ${list.map(({ member }) => member.name).join(', ')}</summary>\n\n${lines.join('\n')}\n\n</details>`;
  }
}

/** Docs as paragraphs. */
function prose(docs = {}) {
  const { summary, remarks, see, deprecated } = docs;
  return [
    deprecated === undefined ? '' : `**Deprecated:** ${deprecated}`,
    [summary, remarks].filter(Boolean).join(' '),
    see ? `See ${see.startsWith('http') ? `<${see}>` : sourceOf(see)}.` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

// the compiler ends a summary at a semicolon, too
function sentenceOf({ summary = '', remarks = '' } = {}) {
  const text = summary.endsWith(';') ? `${summary} ${remarks.split(/(?<=\.)\s/)[0]}` : summary;
  return text.replace(/\s*\n\s*/g, ' ');
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
        found.set(member.name, { member, depth, owner: each });
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
  return [...found.values()].sort(order);
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
  const submodule =
    type.namespace === undefined ? '' : ` of \`${type.fqn.split('.')[0]}/${type.namespace}\``;
  return `*${what}*${submodule}${bases.length > 0 ? `, extends ${bases.join(', ')}` : ''}`;
}

function docsOf(docs = {}, { program, translations = [] } = {}) {
  const { summary, remarks, see, example, deprecated } = docs;
  const text = program ?? example;
  return [
    deprecated === undefined ? '' : `**Deprecated:** ${deprecated}`,
    [summary, remarks].filter(Boolean).join('\n\n'),
    see ? `See ${see.startsWith('http') ? `<${see}>` : sourceOf(see)}.` : '',
    text ? codeBlock('ts', text) : '',
    // tabs on the site: projenrc/site/tabs.js
    ...translations.map(
      ({ title, fence, code: translation }) =>
        `<details>\n<summary>${title}</summary>\n\n${codeBlock(fence, translation)}\n\n</details>`,
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function codeBlock(language, text) {
  return `\`\`\`${language}\n${text.trim()}\n\`\`\``;
}

/** Docs on one line, for an item of a list. */
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
      ? `: ${typeText(method.returns.type, link)}${method.returns.optional ? ' or undefined' : ''}`
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

function properties(title, list, link, type) {
  if (list.length === 0) {
    return '';
  }
  const lines = list.map((property) =>
    item(
      `${code(`${property.static ? `${type.name}.` : ''}${property.name}`)}: ${typeText(property.type, link)}${property.optional ? ' or undefined' : ''}`,
      cellOf(property.docs, defaultOf(property.docs).trim()),
    ),
  );
  return `**${title}**\n\n${lines.join('\n')}`;
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
    return reference.union.types.map((type) => typeText(type, link)).join(' or ');
  }
  return code(PRIMITIVES[reference.primitive] ?? reference.primitive);
}

function signatureOf(parameters = []) {
  const plain = (reference) =>
    typeText(reference, () => undefined)
      .replace(/`/g, '')
      .replaceAll(' or ', ' | ');
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

module.exports = { anchorOf, headingOf, table, typeSection };
