// What is known of a type besides its docs: its program in each language, what that writes and needs,
// the guides that show it, its rules, what edits do, and its names in Terraform and the UI.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { loadAssemblyFromPath } = require('@jsii/spec');
const { guidesOf } = require('../guides');
const { guideOf, linksText } = require('./links');
const { wholeProgram } = require('./program');
const { rulesSection } = require('./rule-lines');
const { permissionsOf, yamlOf } = require('./synthesis');
const { Library } = require('../languages/library');
const { UNTRANSLATED, translationsOf } = require('../languages/translations');

/** Pages with the forms of the UIs. */
const FORMS = ['coming-from-the-ui.md', 'coming-from-the-ui/harvester.md'];
/** Pages that describe no task. */
const NO_GUIDES = new Set(['README.md', 'all-settings.md', 'rules.md']);

/**
 * Reads the guides and the compiled library, and runs the example of each type. Gives the facts of
 * a type by its name.
 */
async function factsOf(root, types) {
  const lib = (file) => require(path.join(root, 'lib', file));
  require(root);
  const docs = path.join(root, 'docs');
  const guides = guidesOf(root)
    .filter((file) => !NO_GUIDES.has(file))
    .map((file) => guideOf(file, fs.readFileSync(path.join(docs, file), 'utf8')));
  const forms = formsOf(
    FORMS.map((page) => fs.readFileSync(path.join(docs, page), 'utf8')).join('\n'),
  );
  const { constructsThatWrite, writesOf } = lib('report/explain/writes');
  const { editOfProp } = lib('report/explain/explanation');
  const { TERRAFORM_NAMES } = lib('report/explain/terraform-names.data');
  const { ALL_RULES } = lib('registry/all-rules');
  const { kindOf, resourceOf } = kindsOf(lib);
  const withPage = new Set(
    fs.readdirSync(path.join(docs, 'terraform')).map((file) => file.replace(/\.md$/, '')),
  );
  const editOf = (type, prop) => editOfProp(type, prop)?.what;
  const library = libraryOf(root);
  const facts = new Map();
  for (const [name, { docs: { example } = {} }] of types) {
    const kinds = [...writesOf(name).keys()].sort();
    // a data source without arguments of its own has no page
    const terraform = [...TERRAFORM_NAMES]
      .filter(([, constructs]) => constructs.includes(name))
      .map(([resource]) => resource)
      .filter((resource) => withPage.has(resource));
    const links = linksText(name, { kinds, guides, terraform, forms: forms.get(name) ?? [] });
    const program = example ? await wholeProgram(example, types) : undefined;
    // those of a Secret or a Namespace are about what other constructs write, too
    const own = kinds.filter((kind) => constructsThatWrite(...split(kind))[0] === name);
    const rules = ALL_RULES.filter((rule) => rule.kinds.some((kind) => own.includes(kind)));
    const permissions = program
      ? permissionsOf(root, program.text, kinds.map(resourceOf).filter(Boolean))
      : [];
    facts.set(name, {
      program: program?.text,
      translations: program ? translationsIn(name, program.text, library) : [],
      yaml: program ? yamlOf(root, program) : '',
      links,
      editOf,
      more: moreText({
        immutable: kinds.flatMap((kind) => immutableOf(kind, kindOf(kind))),
        permissions,
        rules,
      }),
    });
  }
  return (name) => facts.get(name) ?? {};
}

/** What programs import, by the assemblies of the library and of its peers. */
function libraryOf(root) {
  const peers = ['cdk8s', 'constructs'].map((name) => path.join(root, 'node_modules', name));
  return new Library([root, ...peers].map((folder) => loadAssemblyFromPath(folder, false)));
}

function translationsIn(name, program, library) {
  try {
    return translationsOf(program, library);
  } catch (error) {
    if (name in UNTRANSLATED) {
      return [];
    }
    throw new Error(`the @example of ${name} has no translation: ${error.message}`);
  }
}

/** The group and the kind of a key. */
function split(key) {
  return [key.slice(0, key.lastIndexOf('/')), key.slice(key.lastIndexOf('/') + 1)];
}

/** Kinds by their keys, and how Kubernetes names them in permissions. */
function kindsOf(lib) {
  const { kindOf } = lib('core/kind/kinds');
  const { knownKinds } = lib('core/shape/shape-node');
  const byKey = (key) => {
    const [group, kind] = split(key);
    return kindOf({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind });
  };
  return {
    kindOf: byKey,
    resourceOf: (key) => {
      const [group, kind] = split(key);
      const description = byKey(key);
      const version = description?.version ?? 'v1';
      const shape = knownKinds().get(`${group === '' ? version : `${group}/${version}`}/${kind}`);
      const plural = shape?.plural ?? description?.resource;
      return plural && (group === '' ? plural : `${plural}.${group}`);
    },
  };
}

function immutableOf(key, description) {
  const kind = key.slice(key.lastIndexOf('/') + 1);
  return (description?.immutable ?? []).map(
    ({ fields, what }) =>
      `- ${kind} ${fields.map((field) => `\`${field.path}\``).join(', ')}: ${what}`,
  );
}

/** The constructs in the table of forms: `Rancher: Cloud Credentials` by construct. */
function formsOf(page) {
  const forms = new Map();
  for (const section of page.split(/^## /m).slice(1)) {
    const [product] = section.split('\n');
    for (const [, form, here] of section.matchAll(/^\| (.+?) \| (.+) \|$/gm)) {
      for (const [, name] of here.matchAll(/`(\w+)`(?! \(\*object)/g)) {
        forms.set(name, [...(forms.get(name) ?? []), `${product} > ${form}`]);
      }
    }
  }
  return forms;
}

function moreText({ immutable, permissions, rules }) {
  return [
    section('Immutable fields', [...new Set(immutable)]),
    section(
      'Permissions',
      permissions.map(
        ({ target, verbs, resource }) => `- ${target}: ${verbs.join(', ')} \`${resource}\``,
      ),
      'What `apply` needs for this program; [`rbac`](../rbac.md) prints all for yours.',
    ),
    rulesSection(rules),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function section(title, items, text = '') {
  return items.length === 0
    ? ''
    : [`## ${title}`, ...(text ? [text] : []), items.join('\n')].join('\n\n');
}

module.exports = { factsOf, formsOf, libraryOf };
