// Finds or builds the programs of a GitOps engine, or those that encrypt secrets, and prints the
// folder that has them: `node build.js <module>`. Plain node without packages, so that CI can start
// it before `npm ci` has run.
//
// Exits 0 with the folder on standard output, 3 with the reason there why this machine cannot have
// them, 1 where building them failed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { GoModule, fail } = require('../go-cache');

/** What each Go module next to this file gives. */
const BUILDS = {
  flux: {
    minutes: 6,
    programs: { 'kustomize-controller': 'github.com/fluxcd/kustomize-controller', 'health': '.' },
    // the definitions of Kustomization and of the sources; source-controller itself needs modules
    // that were never published
    files: {
      'github.com/fluxcd/kustomize-controller@v1.9.5': ['config/crd/bases'],
      'github.com/fluxcd/source-controller@v1.9.0': ['config/crd/bases'],
    },
  },
  // only the health checks of Argo CD
  lua: { module: 'argocd', minutes: 5, programs: { health: './health' } },
  argocd: {
    minutes: 8,
    programs: { argocd: '.' },
    links: ['argocd-application-controller', 'argocd-cmp-server', 'argocd-repo-server', 'redis'],
    // its definitions, and what it runs at each commit
    files: {
      'github.com/argoproj/argo-cd/v3@v3.5.7': ['manifests/crds', 'hack/git-verify-wrapper.sh'],
    },
    // the metrics of the application controller can only be moved to another port, but nothing in a
    // test may listen beyond loopback
    edits: {
      'github.com/argoproj/argo-cd/v3@v3.5.7': {
        'controller/appcontroller.go': [
          'metricsAddr := fmt.Sprintf("0.0.0.0:%d"',
          'metricsAddr := fmt.Sprintf("127.0.0.1:%d"',
        ],
      },
    },
  },
  fleet: {
    minutes: 7,
    programs: Object.fromEntries(
      ['fleetagent', 'fleetcli', 'fleetcontroller'].map((name) => [
        name,
        `github.com/rancher/fleet/cmd/${name}`,
      ]),
    ),
    // its definitions
    files: { 'github.com/rancher/fleet@v0.15.0': ['charts/fleet-crd/templates'] },
  },
  // the one that Argo CD 3.5 contains @see argoproj/argo-cd:hack/tool-versions.sh
  kustomize: {
    minutes: 1,
    programs: { kustomize: 'sigs.k8s.io/kustomize/kustomize/v5' },
  },
  // the definitions of the kinds from which controllers make Secrets
  definitions: {
    module: 'secrets',
    minutes: 1,
    programs: {},
    files: {
      'github.com/bitnami-labs/sealed-secrets@v0.27.1': [
        'helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml',
      ],
      'github.com/external-secrets/external-secrets@v0.20.4': [
        'config/crds/bases/external-secrets.io_externalsecrets.yaml',
      ],
    },
  },
  secrets: {
    minutes: 5,
    programs: {
      'age-keygen': 'filippo.io/age/cmd/age-keygen',
      'kubeseal': 'github.com/bitnami-labs/sealed-secrets/cmd/kubeseal',
      'sops': 'github.com/getsops/sops/v3/cmd/sops',
    },
  },
};

const [, , name] = process.argv;
const wanted = BUILDS[name];
if (!wanted) {
  fail(`unknown module "${name}"; expected one of ${Object.keys(BUILDS).join(', ')}`);
}

const engine = new GoModule(path.join('engines', wanted.module ?? name), {
  recipe: JSON.stringify(wanted),
});
console.log(
  engine.cached(
    build,
    `${Object.keys(wanted.programs).join(', ')}: once, about ${wanted.minutes} minutes on 2 cores`,
    name,
  ),
);

function build(folder) {
  const edited = editedModules(folder);
  for (const [program, source] of Object.entries(wanted.programs)) {
    // two at a time need 2 GB of memory
    engine.go(
      [
        'build',
        '-p=2',
        '-trimpath',
        '-buildvcs=false',
        '-ldflags=-s -w',
        ...edited,
        '-o',
        path.join(folder, program),
        source,
      ],
      program,
    );
  }
  for (const [module, paths] of Object.entries(wanted.files ?? {})) {
    for (const file of paths) {
      fs.cpSync(path.join(sourcesOf(module), file), path.join(folder, path.basename(file)), {
        recursive: true,
      });
    }
  }
  for (const link of wanted.links ?? []) {
    fs.symlinkSync(Object.keys(wanted.programs)[0], path.join(folder, link));
  }
  // files of the cache of modules cannot be written to, and copies inherit that
  for (const file of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    fs.chmodSync(path.join(folder, file), 0o755);
  }
  for (const module of Object.keys(wanted.edits ?? {})) {
    fs.rmSync(path.join(folder, path.basename(module)), { recursive: true });
  }
}

/** The folder of a module's sources. */
function sourcesOf(module) {
  return JSON.parse(engine.go(['mod', 'download', '-json', module], module)).Dir;
}

/** Arguments that have the compiler read a module from an edited copy of it. */
function editedModules(folder) {
  if (!wanted.edits) {
    return [];
  }
  const mod = path.join(folder, 'go.mod');
  fs.writeFileSync(mod, engine.read('go.mod'));
  fs.writeFileSync(path.join(folder, 'go.sum'), engine.read('go.sum'));
  for (const [module, edits] of Object.entries(wanted.edits)) {
    const copy = path.join(folder, path.basename(module));
    const sources = sourcesOf(module);
    // most of it is documentation
    fs.cpSync(sources, copy, {
      recursive: true,
      filter: (source) => source !== path.join(sources, 'docs'),
    });
    for (const [file, [from, to]] of Object.entries(edits)) {
      const text = fs.readFileSync(path.join(copy, file), 'utf8');
      if (text.split(from).length !== 2) {
        fail(`${module}/${file}: expected once: ${from}`);
      }
      fs.rmSync(path.join(copy, file));
      fs.writeFileSync(path.join(copy, file), text.replace(from, to));
    }
    engine.go(['mod', 'edit', `-replace=${module.split('@')[0]}=${copy}`, mod], 'go.mod');
  }
  return [`-modfile=${mod}`];
}
