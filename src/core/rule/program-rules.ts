import { Rule } from './rule';

const SOURCE = 'the format of the assembly';

/**
 * What would make the output itself wrong. Found while the program is collected, or files are read, so these rules judge no manifest; they have
 * IDs and are in the index like all others, but cannot be suppressed.
 */
function rule(id: string, level: 'error' | 'warning', what: string, source = SOURCE): Rule {
  return { id: `program/${id}`, level, kinds: [], what, source };
}

export const OUTSIDE_TARGET = rule('outside-target', 'error', 'every object is below a target chart, which names its cluster');
export const TARGET_NAME_TAKEN = rule('target-name-taken', 'error', 'every target has a name of its own: it is the folder of its manifests');
export const NOT_RENDERED = rule('not-rendered', 'error', 'every object can be rendered to JSON and YAML');
export const NOT_VALID = rule('not-valid', 'error', 'what constructs say in their own validations (node.addValidation)');
export const LATE_DAMAGED = rule('late-damaged', 'error', 'late values are in manifests unchanged, so that they can be completed');
export const LATE_UNKNOWN = rule('late-unknown', 'error', 'every late value in a manifest is defined in the program');
export const LATE_TAKEN = rule('late-id-taken', 'error', 'every late value has an id of its own');
export const LATE_MISMATCH = rule('late-mismatch', 'error', 'resolved late values look like what they are: a URL, a token, a name');
export const LATE_FILE_UNUSED = rule('late-file-unused', 'warning', 'a file of resolved values names only late values of the program');
export const LATE_SECRET_WRITTEN = rule('late-secret-written', 'warning', 'a credential of a live cluster is written to a file when it is completed at synthesis');
export const SECRET_NOT_RESOLVED = rule('secret-not-resolved', 'error', 'a SecretValue can be put in wherever its marker is, and is not in a name');
export const SECRET_PLAIN = rule('secret-in-plain-text', 'warning', 'a secret of the program is in a Secret, not in another object');
export const CYCLE = rule('cycle', 'error', 'edges between objects form no cycle');
export const EDGE_TO_NOTHING = rule('edge-to-nothing', 'warning', 'an edge that the program asks for leads from objects to objects');
export const MACHINES_WAIT = rule('machines-wait', 'warning', 'not all machines of a custom cluster wait until it is ready, which it becomes by them');
export const NO_YAML: Rule = {
  id: 'lint/no-yaml', level: 'error', kinds: [], what: 'every file that is judged is YAML or JSON', source: 'https://yaml.org/spec/1.1/',
};
export const ENCRYPTED: Rule = {
  id: 'lint/encrypted',
  level: 'warning',
  kinds: [],
  what: 'every file that is judged is in plain text, or can be decrypted with a private key at hand',
  source: 'https://getsops.io/docs/',
};
export const DELIVERY_SECRETS: Rule = {
  id: 'delivery/secrets',
  level: 'error',
  kinds: [],
  source: 'seen with Argo CD 3.5.7 and Fleet 0.15',
  what: 'secrets reach an engine in a form that it can use, and are in no engine in plain text unless the program accepts it',
};
export const UNUSED_SUPPRESSION = rule('unused-suppression', 'warning', 'a suppression has a finding to suppress');

export const REFERENCE_WAITS: Rule = {
  id: 'late-value/reference-waits',
  level: 'warning',
  kinds: [],
  source: SOURCE,
  what: 'an object in a file refers to no object that waits for a late value: applied alone, the folder holds half of a pair',
};
const OUTPUT_SOURCE = 'compares two outputs; what Flux, Argo CD and Fleet prune is what their source no longer holds';
export const OUTPUT_NOW_WAITS: Rule = {
  id: 'output/now-waits',
  level: 'error',
  kinds: [],
  source: OUTPUT_SOURCE,
  what: 'an object that a file held does not wait for a late value now: no file holds it, and engines that prune delete it',
};
export const OUTPUT_GONE: Rule = {
  id: 'output/gone',
  level: 'error',
  kinds: [],
  source: OUTPUT_SOURCE,
  what: 'an object that holds machines, data or tenants leaves the output only where the program accepts it; others are warnings',
};

export const OUTPUT_MOVES: Rule = {
  id: 'output/moves-stage',
  level: 'error',
  kinds: [],
  source: 'fluxcd/kustomize-controller:internal/controller/kustomization_controller.go prune; seen with Fleet 0.15',
  what: 'an object that holds machines, data or tenants does not move to another stage, unless the engine keeps it or the program accepts it; others are warnings',
};
export const OUTPUT_MOVES_TARGET: Rule = {
  id: 'output/moves-target',
  level: 'error',
  kinds: [],
  source: 'https://github.com/fluxcd/flux2/issues/5003; seen with Flux 2.9, Argo CD 3.5.7 and Fleet 0.15',
  what: 'an object does not move to another target in one commit, where an engine delivers both',
};
export const OUTPUT_TOGETHER: Rule = {
  id: 'output/deleted-together',
  level: 'error',
  kinds: [],
  source: 'https://github.com/harvester/harvester/issues/8192, https://github.com/fluxcd/kustomize-controller/issues/301',
  what: 'an object and what its controller needs to delete it do not leave the output in one commit: engines delete in no order',
};
export const DELIVERY_LEFT: Rule = {
  id: 'delivery/left-to-apply',
  level: 'warning',
  kinds: [],
  source: 'seen with Flux 2.9, Argo CD 3.5.7 and Fleet 0.15',
  what: 'an engine delivers no object whose fields the server changes at once: the engine would write it at every reconciliation',
};

/** For the index in the docs. */
export const PROGRAM_RULES: readonly Rule[] = [
  OUTSIDE_TARGET, TARGET_NAME_TAKEN, NOT_RENDERED, NOT_VALID, LATE_DAMAGED, LATE_UNKNOWN, LATE_TAKEN, LATE_MISMATCH, LATE_FILE_UNUSED,
  LATE_SECRET_WRITTEN, SECRET_NOT_RESOLVED, SECRET_PLAIN, CYCLE, EDGE_TO_NOTHING, MACHINES_WAIT, UNUSED_SUPPRESSION, NO_YAML,
  OUTPUT_NOW_WAITS, OUTPUT_GONE, OUTPUT_MOVES, OUTPUT_MOVES_TARGET, OUTPUT_TOGETHER, REFERENCE_WAITS, DELIVERY_LEFT, DELIVERY_SECRETS, ENCRYPTED,
];
