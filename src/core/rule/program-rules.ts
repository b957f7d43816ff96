import { Rule } from './rule';

const SOURCE = 'the format of the assembly';

/**
 * The rules on the output itself are found while the program is collected, or files are read, so
 * they judge no manifest.
 */
function rule(id: string, level: 'error' | 'warning', what: string, source: string): Rule {
  return { id, level, kinds: [], what, source };
}

/** What would make the output wrong: in the index like all others, but cannot be suppressed. */
function ofProgram(id: string, level: 'error' | 'warning', what: string): Rule {
  return rule(`program/${id}`, level, what, SOURCE);
}

export const OUTSIDE_TARGET = ofProgram(
  'outside-target',
  'error',
  'every object is below a target chart, which names its cluster',
);
export const TARGET_NAME_TAKEN = ofProgram(
  'target-name-taken',
  'error',
  'every target has a name of its own: it is the folder of its manifests',
);
export const NOT_RENDERED = ofProgram(
  'not-rendered',
  'error',
  'every object can be rendered to JSON and YAML',
);
export const NOT_VALID = ofProgram(
  'not-valid',
  'error',
  'what constructs say in their own validations (node.addValidation)',
);
export const LATE_DAMAGED = ofProgram(
  'late-damaged',
  'error',
  'late values are in manifests unchanged, so that they can be completed',
);
export const LATE_UNKNOWN = ofProgram(
  'late-unknown',
  'error',
  'every late value in a manifest is defined in the program',
);
export const LATE_TAKEN = ofProgram(
  'late-id-taken',
  'error',
  'every late value has an id of its own',
);
export const LATE_MISMATCH = ofProgram(
  'late-mismatch',
  'error',
  'resolved late values look like what they are: a URL, a token, a name',
);
export const LATE_FILE_UNUSED = ofProgram(
  'late-file-unused',
  'warning',
  'a file of resolved values names only late values of the program',
);
export const LATE_SECRET_WRITTEN = ofProgram(
  'late-secret-written',
  'warning',
  'a credential of a live cluster is written to a file when it is completed at synthesis',
);
export const SECRET_NOT_RESOLVED = ofProgram(
  'secret-not-resolved',
  'error',
  'a SecretValue can be put in wherever its marker is, and is not in a name',
);
export const SECRET_PLAIN = ofProgram(
  'secret-in-plain-text',
  'warning',
  'a secret of the program is in a Secret, not in another object',
);
export const OUTDATED_TEXT = rule(
  'object/outdated-text',
  'warning',
  'a text that was copied from the live object means the same as the props next to it',
  'the text is left out: the props decide what is written',
);
export const CYCLE = ofProgram('cycle', 'error', 'edges between objects form no cycle');
export const EDGE_TO_NOTHING = ofProgram(
  'edge-to-nothing',
  'warning',
  'an edge that the program asks for leads from objects to objects',
);
export const MACHINES_WAIT = ofProgram(
  'machines-wait',
  'warning',
  'not all machines of a custom cluster wait until it is ready, which it becomes by them',
);
export const POOL_NOT_SELECTED = rule(
  'program/pool-not-selected',
  'error',
  'the pool that a Service of a guest cluster names is the one that Harvester selects for it',
  'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/load_balancer.go; harvester/load-balancer-harvester:pkg/ipam/ipam.go',
);
export const NO_YAML = rule(
  'lint/no-yaml',
  'error',
  'every file that is judged is a regular file of limited size with YAML or JSON',
  'https://yaml.org/spec/1.1/',
);
export const NO_OBJECT = rule(
  'lint/no-object',
  'error',
  'every document of a file can be a Kubernetes object: a map, with apiVersion and kind as text',
  'https://kubernetes.io/docs/concepts/overview/working-with-objects/#required-fields',
);
export const NOT_JUDGED = rule(
  'lint/not-judged',
  'warning',
  'every document of a file is a Kubernetes object: rules judge nothing else',
  'https://kubernetes.io/docs/concepts/overview/working-with-objects/#required-fields',
);
export const UNREAD_LINK = rule(
  'lint/unread-link',
  'warning',
  'no symbolic link leads out of a folder that is judged',
  'only what the folder holds is committed and reviewed with it',
);
export const ENCRYPTED = rule(
  'lint/encrypted',
  'warning',
  'every file that is judged is in plain text, or can be decrypted with a private key at hand',
  'https://getsops.io/docs/',
);
export const OTHER_PROGRAM = rule(
  'object/of-another-program',
  'error',
  'an object is declared by one program: the output of another one, which --world names, does not contain it',
  'src/engine/read/lint.ts: the program that removes it deletes it for both',
);
export const DELIVERY_SECRETS = rule(
  'delivery/secrets',
  'error',
  'secrets reach an engine in a form that it can use, and are in no engine in plain text unless the program accepts it',
  'seen with Argo CD 3.5.7 and Fleet 0.15',
);
export const UNUSED_SUPPRESSION = ofProgram(
  'unused-suppression',
  'warning',
  'a suppression has a finding to suppress',
);

export const REFERENCE_WAITS = rule(
  'late-value/reference-waits',
  'warning',
  'an object in a file refers to no object that waits for a late value: the folder alone would hold only one of the two',
  SOURCE,
);

/** What completes a pair of which no file will ever hold the other half. */
export const ONLY_APPLY_COMPLETES =
  'run apply, which creates all of them in order: resolve does not write what is left to apply';
const OUTPUT_SOURCE =
  'compares two outputs; what Flux, Argo CD and Fleet prune is what their source no longer holds';
export const OUTPUT_NOW_WAITS = rule(
  'output/now-waits',
  'error',
  'an object that a file held does not wait for a late value now: no file holds it, and engines that prune delete it',
  OUTPUT_SOURCE,
);
export const OUTPUT_GONE = rule(
  'output/gone',
  'error',
  'an object that holds machines, data or tenants leaves the output only where the program accepts it; others are warnings',
  OUTPUT_SOURCE,
);
export const OUTPUT_UNUSED_ACCEPTANCE = rule(
  'output/unused-acceptance',
  'warning',
  'an accepted removal fits objects that leave the output; one that was delivered is removed, since it could accept more than what was reviewed',
  OUTPUT_SOURCE,
);

export const OUTPUT_LATE_STALE = rule(
  'output/late-stale',
  'error',
  'a file that resolve wrote follows from the program: after an edit, resolve writes it again; synthesis warns, and lint refuses the output',
  'seen with Flux 2.9: it is Ready with the earlier state',
);
export const OUTPUT_LATE_MISSING = rule(
  'output/late-missing',
  'error',
  'a file that resolve wrote remains while its object waits for late values: engines that prune delete what no file holds',
  OUTPUT_SOURCE,
);
export const OUTPUT_TWICE = rule(
  'output/in-two-files',
  'error',
  'an object is in one file of the output: two stages of an engine would write it in turn, or refuse it',
  'seen with Flux 2.9, Argo CD 3.5.7 and Fleet 0.15',
);
export const OUTPUT_MOVES = rule(
  'output/moves-stage',
  'error',
  'an object that holds machines, data or tenants does not move to another stage, unless the engine keeps it or the program accepts it; others are warnings',
  'fluxcd/kustomize-controller:internal/controller/kustomization_controller.go prune; seen with Fleet 0.15',
);
export const OUTPUT_MOVES_TARGET = rule(
  'output/moves-target',
  'error',
  'an object does not move to another target in one commit, where an engine delivers both',
  'https://github.com/fluxcd/flux2/issues/5003; seen with Flux 2.9, Argo CD 3.5.7 and Fleet 0.15',
);
export const OUTPUT_TOGETHER = rule(
  'output/deleted-together',
  'error',
  'an object and what its controller needs to delete it do not leave the output in one commit: engines delete in no order',
  'https://github.com/harvester/harvester/issues/8192, https://github.com/fluxcd/kustomize-controller/issues/301',
);
export const DELIVERY_LEFT = rule(
  'delivery/left-to-apply',
  'warning',
  'an engine delivers no object whose fields the server changes at once, or an autoscaler sets: the engine would write it at every reconciliation',
  'seen with Flux 2.9, Argo CD 3.5.7 and Fleet 0.15',
);
export const DELIVERY_PREDICTABLE = rule(
  'delivery/predictable-id',
  'warning',
  'others cannot know the management cluster ID of a Cluster before an engine delivers it: engines adopt whatever exists',
  'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go; seen on Rancher 2.15.0',
);

/** For the index in the docs. */
export const PROGRAM_RULES: readonly Rule[] = [
  OUTSIDE_TARGET,
  TARGET_NAME_TAKEN,
  NOT_RENDERED,
  NOT_VALID,
  LATE_DAMAGED,
  LATE_UNKNOWN,
  LATE_TAKEN,
  LATE_MISMATCH,
  LATE_FILE_UNUSED,
  LATE_SECRET_WRITTEN,
  SECRET_NOT_RESOLVED,
  SECRET_PLAIN,
  CYCLE,
  EDGE_TO_NOTHING,
  MACHINES_WAIT,
  POOL_NOT_SELECTED,
  OUTDATED_TEXT,
  UNUSED_SUPPRESSION,
  NO_YAML,
  NO_OBJECT,
  NOT_JUDGED,
  UNREAD_LINK,
  OUTPUT_NOW_WAITS,
  OUTPUT_GONE,
  OUTPUT_UNUSED_ACCEPTANCE,
  OUTPUT_LATE_STALE,
  OUTPUT_LATE_MISSING,
  OUTPUT_TWICE,
  OUTPUT_MOVES,
  OUTPUT_MOVES_TARGET,
  OUTPUT_TOGETHER,
  REFERENCE_WAITS,
  DELIVERY_LEFT,
  DELIVERY_SECRETS,
  OTHER_PROGRAM,
  DELIVERY_PREDICTABLE,
  ENCRYPTED,
];
