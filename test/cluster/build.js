// Finds or builds the programs of a Kubernetes control plane and prints the folder that has them:
// etcd, kube-apiserver, kube-controller-manager, kubectl. Plain node without packages, so that CI
// can start it before `npm ci` has run.
//
// Exits 0 with the folder on standard output, 3 with the reason there why this machine cannot have
// them, 1 where building them failed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fail, GoModule } = require('./go-cache');

const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

const controlPlane = new GoModule('controlplane', {
  without: 'KUBEBUILDER_ASSETS is not set, and ',
});

console.log(
  process.env.KUBEBUILDER_ASSETS
    ? givenAssets(process.env.KUBEBUILDER_ASSETS)
    : controlPlane.cached(
        build,
        'the control plane of the cluster tests: once, about 5 minutes on 2 cores',
      ),
);

/**
 * kube-controller-manager may be missing, as it is in the archives that KUBEBUILDER_ASSETS usually
 * points at.
 */
function givenAssets(folder) {
  const missing = ['etcd', 'kube-apiserver'].filter(
    (program) => !fs.existsSync(path.join(folder, program)),
  );
  if (missing.length > 0) {
    fail(
      `KUBEBUILDER_ASSETS: must be a folder with etcd and kube-apiserver, got "${folder}": ${missing.join(', ')} missing`,
    );
  }
  return path.resolve(folder);
}

function build(folder) {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', linkerFlags()];
  controlPlane.go(
    ['build', ...flags, '-o', path.join(folder, 'controlplane'), '.'],
    'the control plane',
  );
  PROGRAMS.forEach((name) => fs.symlinkSync('controlplane', path.join(folder, name)));
}

/** Without these the API server calls itself v0.0.0-master. */
function linkerFlags() {
  const [, version, major, minor] = controlPlane
    .read('go.mod')
    .match(/k8s\.io\/kubernetes (v(\d+)\.(\d+)\S+)/);
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return [
    '-s',
    '-w',
    ...Object.entries(variables).map(
      ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
    ),
  ].join(' ');
}
