// Runs the example of every construct: one that does not run fails the compilation. Writes
// lib/constructs.json: which page documents a type.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');
const { loadAssemblyFromPath } = require('@jsii/spec');
const cdk8s = require('cdk8s');
const ts = require('typescript');
const { pagesOf, typesOf } = require('./reference/pages');

const ROOT = path.join(__dirname, '..');
const FILE = path.join(ROOT, 'lib', 'constructs.json');
/**
 * What an example may use without declaring it, as the test of the documentation lists it. RKE1
 * exists on earlier versions only.
 */
function context(lib, HarvesterApp, name) {
  const isEarly = name === 'Rke1Cluster';
  const app = new HarvesterApp();
  const rancher = new lib.RancherChart(app, 'rancher', {
    version: isEarly ? '2.9.12' : '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new lib.HarvesterChart(app, 'dc1', {
    version: isEarly ? '1.4.3' : '1.7.2',
    vip: '10.10.0.10',
  });
  const harvester = new lib.HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const project = new lib.TenantProject(rancher, 'given-project', {
    cluster: harvester,
    tenantNamespaces: [{ name: 'given-vms' }],
  });
  const shop = new lib.GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: project.declaredNamespace('given-vms'),
    kubernetes: lib.Kubernetes.rke2(isEarly ? 'v1.30.14+rke2r1' : 'v1.34.6+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity: 3,
        roles: lib.MachineRoles.ALL,
        cpus: 4,
        memory: cdk8s.Size.gibibytes(8),
        disks: [
          lib.Disk.image(
            lib.VmImage.download(dc1, 'given-image', { url: 'https://example.com/noble.img' }),
            cdk8s.Size.gibibytes(40),
          ),
        ],
        networks: [
          new lib.VmNetwork(dc1, 'given-network', {
            clusterNetwork: lib.ClusterNetwork.mgmt(dc1),
            vlan: 100,
          }),
        ],
      },
    ],
  });
  return { app, rancher, dc1, harvester, shop };
}

/** Runs an example. */
function run(name, code) {
  const lib = require(ROOT);
  class HarvesterApp extends lib.HarvesterApp {
    constructor(props) {
      super({ ...props, outdir: fs.mkdtempSync(path.join(os.tmpdir(), 'constructs-')) });
    }
  }
  const given = context(lib, HarvesterApp, name);
  // an example that imports nothing may use the names of submodules, too
  const exported = {
    ...lib,
    ...lib.auth,
    ...lib.devices,
    ...lib.migration,
    ...lib.rke1,
    ...lib.settings,
    HarvesterApp,
  };
  const load = (specifier) =>
    /^cdk8s-harvester(\/|$)/.test(specifier) ? exported : require(specifier);
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const body = outputText.replace('"use strict";', '');
  // a block of its own, since an example may declare what the context has, too
  const program = new Function(
    'scopes',
    'require',
    'exports',
    `with (scopes[0]) { with (scopes[1]) { with (scopes[2]) { with (scopes[3]) { { ${body} } } } } }`,
  );
  program([fs, cdk8s, exported, given], load, {});
}

function main() {
  const types = typesOf(loadAssemblyFromPath(ROOT, false));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'constructs-'));
  process.chdir(folder);
  for (const file of ['registry-ca.pem', 'saml.pem', 'wildcard.pem']) {
    fs.writeFileSync(file, tls.rootCertificates[0]);
  }
  // examples read secrets from the environment
  process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
  const failed = [];
  for (const [name, { docs = {}, kind }] of types) {
    if (kind !== 'class' || !docs.example || name === 'Delivery' || name === 'SecretDelivery') {
      continue;
    }
    try {
      run(name, docs.example);
    } catch (error) {
      failed.push(`${name}: its @example does not run: ${error.message}`);
    }
  }
  process.chdir(ROOT);
  fs.rmSync(folder, { recursive: true });
  if (failed.length > 0) {
    throw new Error(failed.join('\n'));
  }
  const pages = [...pagesOf(types)]
    .flatMap(([page, { types: names }]) => names.map((name) => [name, `docs/reference/${page}.md`]))
    .sort();
  fs.writeFileSync(FILE, `${JSON.stringify({ pages: Object.fromEntries(pages) }, undefined, 1)}\n`);
}

main();
