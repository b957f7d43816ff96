// Runs the programs of examples with the compiled library: what they write, and what an identity
// that applies it needs.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');
const ts = require('typescript');

const CERTIFICATES = ['registry-ca.pem', 'saml.pem', 'wildcard.pem'];
/** A text that differs with Node, and has no meaning for readers. */
const PEM = /-----BEGIN ([A-Z ]+)-----[^]*?-----END \1-----/g;
const PEM_IN_BASE64 = /LS0tLS1CRUdJTi[\w+/=]+/g;

/**
 * Runs a program in a folder of its own.
 *
 * @param root of the compiled library
 * @returns its output folder, which the caller removes; undefined if it wrote nothing
 */
function synthesize(root, text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'example-'));
  for (const file of CERTIFICATES) {
    fs.writeFileSync(path.join(folder, file), tls.rootCertificates[0]);
  }
  const lib = require(root);
  const outdir = path.join(folder, 'dist');
  class HarvesterApp extends lib.HarvesterApp {
    constructor(props) {
      super({ ...props, outdir });
    }
  }
  const exported = { ...lib, HarvesterApp };
  const load = (specifier) => {
    const [name, submodule] = specifier.split('/');
    if (name !== 'cdk8s-harvester') {
      return require(specifier);
    }
    return submodule === undefined ? exported : lib[submodule];
  };
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  quietly(folder, () => {
    new Function('require', 'exports', outputText)(load, {});
  });
  return { folder, outdir: fs.existsSync(path.join(outdir, 'assembly.json')) ? outdir : undefined };
}

/** In a folder, with placeholders for secrets, and without the line that a synthesis prints. */
function quietly(folder, run) {
  const cwd = process.cwd();
  const { write } = process.stderr;
  const { CDK8S_HARVESTER_SECRETS: before } = process.env;
  process.chdir(folder);
  process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
  process.stderr.write = () => true;
  try {
    run();
  } finally {
    process.stderr.write = write;
    process.chdir(cwd);
    if (before === undefined) {
      delete process.env.CDK8S_HARVESTER_SECRETS;
    } else {
      process.env.CDK8S_HARVESTER_SECRETS = before;
    }
  }
}

/** The objects of an output folder as texts, by file. */
function objectsIn(outdir) {
  const files = fs
    .readdirSync(outdir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return new Map(
    files.map((file) => [
      file,
      fs
        .readFileSync(path.join(outdir, file), 'utf8')
        .split(/^---\n/m)
        .map((text) => text.trim())
        .filter(Boolean),
    ]),
  );
}

/** What a program writes that its head alone does not, as one text of YAML. */
function yamlOf(root, { text, head }) {
  const program = synthesize(root, text);
  const start = head === '' ? undefined : synthesize(root, head);
  try {
    if (!program.outdir) {
      return '';
    }
    const known = start?.outdir ? objectsIn(start.outdir) : new Map();
    return [...objectsIn(program.outdir)]
      .map(([file, objects]) => [
        file,
        objects.filter((object) => !(known.get(file) ?? []).includes(object)),
      ])
      .filter(([, objects]) => objects.length > 0)
      .map(([file, objects]) => `# dist/${file}\n${objects.join('\n---\n')}`)
      .join('\n---\n')
      .replace(PEM, '-----BEGIN $1-----…')
      .replace(PEM_IN_BASE64, 'LS0tLS1CRUdJTi…');
  } finally {
    for (const each of [program, start]) {
      if (each) {
        fs.rmSync(each.folder, { recursive: true });
      }
    }
  }
}

/**
 * The permissions that a program needs for kinds, by target: `{ target, verbs, resource }`, the
 * resource as Kubernetes prints it.
 */
function permissionsOf(root, text, resources) {
  const lib = (file) => require(path.join(root, 'lib', file));
  const program = synthesize(root, text);
  try {
    if (!program.outdir) {
      return [];
    }
    const loaded = lib('engine/read/load-assembly').loadAssembly(program.outdir);
    const app = lib('engine/fields/apply-set').appOf();
    return loaded.assembly.targets.flatMap((target) => {
      const verbs = new Map();
      const { manifests } = lib('report/rbac/rbac').rbacOf(loaded, target, { app });
      for (const { rules = [] } of manifests) {
        for (const rule of rules) {
          for (const group of rule.apiGroups ?? []) {
            for (const name of rule.resources ?? []) {
              const resource = group === '' ? name : `${name}.${group}`;
              if (resources.includes(resource.replace(/\/[^.]*/, ''))) {
                verbs.set(resource, new Set([...(verbs.get(resource) ?? []), ...rule.verbs]));
              }
            }
          }
        }
      }
      return [...verbs].map(([resource, set]) => ({
        target: target.kind,
        verbs: [...set].sort(),
        resource,
      }));
    });
  } finally {
    fs.rmSync(program.folder, { recursive: true });
  }
}

module.exports = { permissionsOf, synthesize, yamlOf };
