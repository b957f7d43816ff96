// Runs the example of every construct, and writes lib/constructs.json: which kinds a construct writes, by its examples, and which page documents
// a type. An example that does not run fails the compilation.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');
const cdk8s = require('cdk8s');
const ts = require('typescript');
const { isConstruct, pagesOf, typesOf } = require('./reference/pages');

const ROOT = path.join(__dirname, '..');
const FILE = path.join(ROOT, 'lib', 'constructs.json');
/** What an example may use without declaring it, as the test of the documentation lists it. RKE1 exists on earlier versions only. */
function context(lib, HarvesterApp, name) {
  const isEarly = name === 'Rke1Cluster';
  const app = new HarvesterApp();
  const rancher = new lib.RancherChart(app, 'rancher', { version: isEarly ? '2.9.12' : '2.13.8', serverUrl: 'https://rancher.example.com' });
  const dc1 = new lib.HarvesterChart(app, 'dc1', { version: isEarly ? '1.4.3' : '1.7.2', vip: '10.10.0.10' });
  const harvester = new lib.HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const project = new lib.TenantProject(rancher, 'given-project', { cluster: harvester, namespaces: [{ name: 'given-vms' }] });
  const shop = new lib.GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: project.namespace('given-vms'),
    kubernetes: lib.Kubernetes.rke2(isEarly ? 'v1.30.14+rke2r1' : 'v1.34.6+rke2r1'),
    pools: [{
      name: 'all',
      quantity: 3,
      roles: lib.MachineRoles.ALL,
      cpus: 4,
      memory: cdk8s.Size.gibibytes(8),
      disks: [lib.Disk.image(lib.VmImage.download(dc1, 'given-image', { url: 'https://example.com/noble.img' }), cdk8s.Size.gibibytes(40))],
      networks: [new lib.VmNetwork(dc1, 'given-network', { clusterNetwork: lib.ClusterNetwork.mgmt(dc1), vlan: 100 })],
    }],
  });
  return { app, rancher, dc1, harvester, shop };
}

/** Runs an example; gives the apps that it made or used, and the constructs that were there before. */
function run(name, code) {
  const lib = require(ROOT);
  const apps = [];
  class HarvesterApp extends lib.HarvesterApp {
    constructor(props) {
      super({ ...props, outdir: fs.mkdtempSync(path.join(os.tmpdir(), 'constructs-')) });
      apps.push(this);
    }
  }
  const given = context(lib, HarvesterApp, name);
  const before = new Set(given.app.node.findAll());
  const made = [];
  const exported = new Proxy(lib, { get: (target, key) => (key === 'HarvesterApp' ? HarvesterApp : recording(target[key], key, apps, made)) });
  const load = (specifier) => (specifier === 'cdk8s-harvester' ? exported : require(specifier));
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } });
  const body = outputText.replace('"use strict";', '');
  // a block of its own, since an example may declare what the context has, too
  const program = new Function('scopes', 'require', 'exports', `with (scopes[0]) { with (scopes[1]) { with (scopes[2]) { with (scopes[3]) { { ${body} } } } } }`);
  program([fs, { ...cdk8s, Cpu: require('cdk8s-plus-28').Cpu }, exported, given], load, {});
  return { lib, apps, before, made };
}

/** A class that notes the objects of other targets that its constructor writes: these are not below the construct. */
function recording(exported, name, apps, made) {
  if (typeof exported !== 'function' || name.endsWith('Chart')) { return exported; }
  return new Proxy(exported, {
    construct(target, args, newTarget) {
      const before = new Set(apps.flatMap((app) => app.node.findAll()));
      const construct = Reflect.construct(target, args, newTarget);
      made.push(...apps.flatMap((app) => app.node.findAll()).filter((node) => isObject(node) && !before.has(node)).map((object) => [name, kindOf(object)]));
      return construct;
    },
  });
}

const isObject = (node) => cdk8s.ApiObject.isApiObject(node);

function kindOf(object) {
  return `${object.apiGroup === 'core' ? '' : object.apiGroup}/${object.kind}`;
}

/** The kinds that an example writes, by the construct of the library that writes them, and by those that they are below, up to the chart. */
function kindsOf({ lib, apps, before, made }) {
  return [...made, ...apps.flatMap((app) => app.node.findAll()).filter((node) => isObject(node) && !before.has(node)).flatMap((object) => {
    const above = object.node.scopes.slice(0, -1).reverse();
    const chart = above.findIndex((node) => cdk8s.Chart.isChart(node));
    const names = above.slice(0, chart).map((node) => node.constructor.name).filter((name) => lib[name] !== undefined);
    return names.map((name) => [name, kindOf(object)]);
  })];
}

function main() {
  const types = typesOf(JSON.parse(fs.readFileSync(path.join(ROOT, '.jsii'), 'utf8')));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'constructs-'));
  process.chdir(folder);
  for (const file of ['registry-ca.pem', 'wildcard.pem']) { fs.writeFileSync(file, tls.rootCertificates[0]); }
  // examples read secrets from the environment
  process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
  const writes = {};
  const failed = [];
  for (const [name, { docs = {}, kind }] of types) {
    if (kind !== 'class' || !docs.example || name === 'Delivery' || name === 'SecretDelivery') { continue; }
    try {
      for (const [construct, written] of kindsOf(run(name, docs.example))) { writes[construct] = [...new Set([...writes[construct] ?? [], written])].sort(); }
    } catch (error) {
      failed.push(`${name}: its @example does not run: ${error.message}`);
    }
  }
  process.chdir(ROOT);
  fs.rmSync(folder, { recursive: true });
  if (failed.length > 0) { throw new Error(failed.join('\n')); }
  const pages = [...pagesOf(types)].flatMap(([page, { types: names }]) => names.map((name) => [name, `docs/reference/${page}.md`])).sort();
  const constructs = Object.entries(writes).filter(([name]) => isConstruct(types.get(name), types)).sort(([a], [b]) => (a < b ? -1 : 1));
  fs.writeFileSync(FILE, `${JSON.stringify({ writes: Object.fromEntries(constructs), pages: Object.fromEntries(pages) }, undefined, 1)}\n`);
}

main();
