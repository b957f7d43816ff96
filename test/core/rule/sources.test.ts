import { PROGRAM_RULES } from '../../../src/core/rule/program-rules';
import { allGates } from '../../../src/core/version/feature-gates';
import { HARVESTER_SETTINGS } from '../../../src/harvester/settings/harvester-settings.data';
import { ALL_RULES } from '../../../src/registry/all-rules';

/**
 * Repositories that sources name; a name that is not among them is misspelled, or is to be added.
 */
const REPOSITORIES = new Set([
  'argoproj/argo-cd',
  'fluxcd/kustomize-controller',
  'fluxcd/pkg',
  'google/go-containerregistry',
  'harvester/addons',
  'harvester/charts',
  'harvester/cloud-provider-harvester',
  'harvester/docker-machine-driver-harvester',
  'harvester/docs',
  'harvester/harvester',
  'harvester/harvester-csi-driver',
  'harvester/harvester-installer',
  'harvester/harvester-ui-extension',
  'harvester/load-balancer-harvester',
  'harvester/network-controller-harvester',
  'harvester/node-disk-manager',
  'harvester/node-manager',
  'harvester/pcidevices',
  'harvester/vm-import-controller',
  'k3s-io/helm-controller',
  'k3s-io/k3s',
  'kubeovn/kube-ovn',
  'kubernetes/kubernetes',
  'kubernetes-sigs/cluster-api',
  'kubevirt/kubevirt',
  'longhorn/longhorn-manager',
  'minio/minio-go',
  'rancher/dashboard',
  'rancher/kontainer-driver-metadata',
  'rancher/machine',
  'rancher/rancher',
  'rancher/rke2',
  'rancher/rke2-charts',
  'rancher/system-agent-installer-k3s',
  'rancher/system-agent-installer-rke2',
  'rancher/webhook',
]);

/**
 * What one can open: a repository with a path, a version, or an issue; a page; or what a named
 * version did.
 */
const OPENED = [
  /https:\/\/\S+\.\S+/,
  /\b[a-z]\S*\.io\/docs\//,
  /\bseen (on|with) [A-Z]\S*( [A-Z]+)? \d/i,
  /\bseen on load-balancer-harvester /,
  /\bsrc\/\S+\.ts/,
];
const REPOSITORY = /(?<![\w./:-])([a-z][a-z0-9-]*\/[a-z][a-z0-9-]*)(?=[:# ;,]|$)/g;
/** The API server, the library, and the output are sources that no repository has. */
const OTHERS =
  /custom resource definitions|of this library|the format of the assembly|compares two outputs|the props decide|what the folder holds|pkg\/apis\/|^fluxcd\/|fluxcd\/flux2|^kubernetes\/autoscaler:/;

const named = (source: string): readonly string[] =>
  [...source.matchAll(REPOSITORY)].map(([, name]) => name!);

/** What is wrong with a source. */
function faultOf(source: string | undefined): string | undefined {
  if (!source?.trim()) {
    return 'is missing';
  }
  if (/:\s*$|:pkg\/?$|\s{2}|;$/.test(source)) {
    return `is not complete: ${source}`;
  }
  const own = named(source).filter((name) =>
    /^(rancher|harvester|k3s-io|kubevirt|longhorn|kubeovn)\//.test(name),
  );
  const unknown = own.filter((name) => !REPOSITORIES.has(name));
  if (unknown.length > 0) {
    return `names an unknown repository: ${unknown.join(', ')}`;
  }
  const isKnown =
    named(source).some((name) => REPOSITORIES.has(name)) ||
    OPENED.some((form) => form.test(source)) ||
    OTHERS.test(source);
  return isKnown ? undefined : `names nothing that one can open: ${source}`;
}

test.each([
  [undefined, 'is missing'],
  [' ', 'is missing'],
  ['rancher/webook:pkg/resources/x.go', 'names an unknown repository: rancher/webook'],
  ['harvester/harvester:', 'is not complete: harvester/harvester:'],
  ['the webhook', 'names nothing that one can open: the webhook'],
])('refuses the source %p', (source, fault) => {
  expect(faultOf(source)).toBe(fault);
});

test('every rule has a source that one can open', () => {
  expect(
    [...ALL_RULES, ...PROGRAM_RULES].flatMap(
      ({ id, source }) => faultOf(source)?.replace(/^/, `${id} `) ?? [],
    ),
  ).toEqual([]);
});

test('every gate and every setting has a source that one can open', () => {
  const sources = [
    ...allGates(),
    ...[...HARVESTER_SETTINGS].map(([id, { source }]) => ({ id, source })),
  ];
  expect(
    sources.flatMap(({ id, source }) => faultOf(source)?.replace(/^/, `${id} `) ?? []),
  ).toEqual([]);
});
