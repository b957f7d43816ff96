import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { markdownCode, markdownText } from '../../core/text/table';
import { grouped } from '../../core/text/values';
import { docsUrl } from '../../core/version/package-version';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../../guest/cluster/cluster.kind';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../../harvester/virtual-machine/machine-manifest.check';
import { CLUSTER_FIELDS, FIXED, FieldEffect, NEXT_START } from '../impact/cluster-impacts';
import { IN_PLACE, ROLES, ROLE_CHANGE } from '../impact/pool-impacts';

/** What a name is the name of: `VirtualMachine` is a construct and a kind. */
export type Subject = 'construct' | 'type' | 'member' | 'kind' | 'field' | 'rule' | 'setting';

/** A part of an explanation: lines below a title. */
export interface ExplanationPart {
  readonly title: string;
  readonly lines: readonly string[];
}

/** All that the library knows of one name. */
export interface Explanation {
  readonly subject: Subject;
  /** The full name: `Cluster (provisioning.cattle.io/v1)`. */
  readonly name: string;
  readonly summary: string;
  readonly parts: readonly ExplanationPart[];
  /** The page to read on, as a path in the package. */
  readonly docs: string;
}

export const EXPLAIN_FORMATS = ['text', 'json', 'markdown'] as const;

/** The title of the part with the example. */
export const EXAMPLE = 'example';

/** An explanation, without the parts that have no lines. */
export function explanation(
  subject: Subject, name: string, summary: string, docs: string, parts: { readonly [title: string]: readonly (string | undefined)[] },
): Explanation {
  const all = Object.entries(parts).map(([title, lines]) => ({ title, lines: lines.flatMap((line) => line || []) }));
  return { subject, name, summary, parts: all.filter(({ lines }) => lines.length > 0), docs };
}

/** The text of explanations. */
export function printExplanations(explanations: readonly Explanation[], format: typeof EXPLAIN_FORMATS[number]): string {
  // readers are in a project of their own, where the path is of no file
  const linked = explanations.map((each) => ({ ...each, docs: docsUrl(each.docs) }));
  if (format === 'json') { return JSON.stringify(linked, undefined, 2); }
  return linked.map(format === 'text' ? textOf : markdownOf).join('\n\n');
}

function textOf({ subject, name, summary, parts, docs }: Explanation): string {
  // an example is a text of its own; the lines after the first of any other entry are indented below it
  const indented = (title: string, line: string) => `  ${line.replace(/\n/g, title === EXAMPLE ? '\n  ' : '\n    ')}`;
  const blocks = parts.map(({ title, lines }) => `${title}:\n${lines.map((line) => indented(title, line)).join('\n')}`);
  return [`${name}: ${subject}`, ...(summary ? [`  ${summary.replace(/\n/g, '\n  ')}`] : []), ...blocks, `docs: ${docs}`].join('\n');
}

function markdownOf({ subject, name, summary, parts, docs }: Explanation): string {
  const blocks = parts.map(({ title, lines }) => `**${title}**\n\n${lines.map((line) => `- ${markdownText(line)}`).join('\n')}`);
  return [`## ${markdownCode(name)}: ${subject}`, ...(summary ? [markdownText(summary)] : []), ...blocks, `Docs: ${docs}`].join('\n\n');
}

/** What an edit of a field does to machines, whatever the values; `impact` compares values. */
export interface FieldEdit extends FieldEffect {
  /** The path of the field, without the indexes of lists. */
  readonly path: string;
}

const MACHINE_CONFIG = kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND);
const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');
const POOLS = 'spec.rkeConfig.machinePools';

const EDITS: ReadonlyMap<string, readonly FieldEdit[]> = new Map([
  [CLUSTER, [
    { path: 'spec.kubernetesVersion', effect: 'restart', what: 'Kubernetes is changed in place on the existing machines; no virtual machine is replaced' },
    { path: POOLS, effect: 'delete', what: 'a pool that is removed or renamed loses its machines and their disks' },
    { path: `${POOLS}.quantity`, effect: 'delete', what: 'a lower number deletes machines with their disks, a higher one creates machines' },
    { path: `${POOLS}.machineConfigRef`, effect: 'replace', what: 'all machines of the pool are replaced, unless the other machine configuration has the same contents' },
    ...ROLES.map((role): FieldEdit => ({ path: `${POOLS}.${role}`, effect: 'restart', what: ROLE_CHANGE })),
    ...Object.entries(IN_PLACE).map(([field, what]): FieldEdit => ({ path: `${POOLS}.${field}`, effect: 'none', what: `${what}; no machine is replaced` })),
    ...Object.entries(CLUSTER_FIELDS).map(([path, row]): FieldEdit => ({ ...row, path: `spec.${path}` })),
    ...Object.entries(FIXED).map(([key, what]): FieldEdit => ({ path: `spec.rkeConfig.machineGlobalConfig.${key}`, effect: 'restart', what })),
  ]],
  [MACHINE_CONFIG, [
    { path: '', effect: 'replace', what: 'all machines of the pool are replaced, also for a different layout of the same JSON or user data; what is on their disks is lost' },
  ]],
  [kindKey(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE), [{ path: 'spec.template.spec', effect: 'restart', what: NEXT_START }]],
]);

/** What edits do to the machines of objects of a kind, by field. */
export function editsOf(kind: string): readonly FieldEdit[] {
  return EDITS.get(kind) ?? [];
}

/** Props whose field has another name, as paths of a Cluster. The others are named as the last part of their field. */
const FIELD_OF_PROP: { readonly [type: string]: { readonly [prop: string]: string } } = {
  MachinePool: {
    name: POOLS,
    roles: `${POOLS}.workerRole`,
    autoscaling: `${POOLS}.autoscalingMinSize`,
    credential: `${POOLS}.cloudCredentialSecretName`,
    machineConfigName: `${POOLS}.machineConfigRef`,
    machineOs: `${POOLS}.machineOS`,
  },
  GuestCluster: {
    additionalManifests: 'spec.rkeConfig.additionalManifest',
    authEndpoint: 'spec.localClusterAuthEndpoint',
    clusterAgent: 'spec.clusterAgentDeploymentCustomization',
    credential: 'spec.cloudCredentialSecretName',
    fleetAgent: 'spec.fleetAgentDeploymentCustomization',
    kubernetes: 'spec.kubernetesVersion',
    machineFiles: 'spec.rkeConfig.machineSelectorFiles',
    machineSelectors: 'spec.rkeConfig.machineSelectorConfig',
    podSecurityTemplate: 'spec.defaultPodSecurityAdmissionConfigurationTemplateName',
    pools: POOLS,
    stackPreference: 'spec.rkeConfig.networking',
    webhook: 'spec.webhookDeploymentCustomization',
  },
};

/** What an edit of a prop of a machine pool or a guest cluster does to machines. Undefined where it does nothing to them, or is of another type. */
export function editOfProp(type: string, prop: string): FieldEdit | undefined {
  const owner = type.replace(/Props$/, '');
  const fields = FIELD_OF_PROP[owner];
  if (!fields) { return undefined; }
  const path = fields[prop] ?? `${owner === 'MachinePool' ? POOLS : 'spec(.rkeConfig)?'}.${prop}`;
  const pattern = new RegExp(`^${path}$`);
  return editsOf(CLUSTER).find((edit) => edit.path === path || pattern.test(edit.path)) ?? (owner === 'MachinePool' ? editsOf(MACHINE_CONFIG)[0] : undefined);
}

/** Lines on edits: fields with the same effect in one. */
export function editLines(edits: readonly FieldEdit[]): string[] {
  return [...grouped(edits, ({ what }) => what)].map(([what, same]) => `${same.map(({ path }) => path || 'any field').join(', ')}: ${what}`);
}
