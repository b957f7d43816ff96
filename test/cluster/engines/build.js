// Finds or builds the programs of a GitOps engine, or those that encrypt secrets, and prints the folder that has them: `node build.js <module>`.
// Plain node without packages, so that CI can start it before `npm ci` has run.
//
// Exits 0 with the folder on standard output, 3 with the reason there why this machine cannot have them, 1 where building them failed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { GoModule, fail } = require('../go-cache');

/** What each Go module next to this file gives. */
const BUILDS = {
  flux: {
    minutes: 6,
    programs: { 'kustomize-controller': 'github.com/fluxcd/kustomize-controller', 'health': '.' },
    // the definitions of Kustomization and of the sources; source-controller itself needs modules that were never published
    files: { 'github.com/fluxcd/kustomize-controller@v1.9.5': ['config/crd/bases'], 'github.com/fluxcd/source-controller@v1.9.0': ['config/crd/bases'] },
  },
  // only the health checks of Argo CD
  lua: { module: 'argocd', minutes: 5, programs: { health: './health' } },
  secrets: {
    minutes: 5,
    programs: {
      'age-keygen': 'filippo.io/age/cmd/age-keygen', 'kubeseal': 'github.com/bitnami-labs/sealed-secrets/cmd/kubeseal', 'sops': 'github.com/getsops/sops/v3/cmd/sops',
    },
  },
};

const [, , name] = process.argv;
const wanted = BUILDS[name];
if (!wanted) { fail(`unknown module "${name}"; expected one of ${Object.keys(BUILDS).join(', ')}`); }

const engine = new GoModule(path.join('engines', wanted.module ?? name));
console.log(engine.cached(build, `${Object.keys(wanted.programs).join(', ')}: once, about ${wanted.minutes} minutes on 2 cores`, name));

function build(folder) {
  for (const [program, source] of Object.entries(wanted.programs)) {
    // two at a time need 2 GB of memory
    engine.go(['build', '-p=2', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', path.join(folder, program), source], program);
  }
  for (const [module, paths] of Object.entries(wanted.files ?? {})) {
    const { Dir } = JSON.parse(engine.go(['mod', 'download', '-json', module], module));
    for (const file of paths) { fs.cpSync(path.join(Dir, file), path.join(folder, path.basename(file)), { recursive: true }); }
  }
  // files of the cache of modules cannot be written to, and copies inherit that
  for (const file of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) { fs.chmodSync(path.join(folder, file), 0o755); }
}
