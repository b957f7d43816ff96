import { isWithin, kindKey, pathOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { BLANK, Block, Text, command, line, table, toned } from '../../core/text/screen';
import { markdownCode, markdownText } from '../../core/text/table';
import { grouped } from '../../core/text/values';
import { docsUrl } from '../../core/version/package-version';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
} from '../../guest/machine-config/machine-config.kind';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
} from '../../harvester/virtual-machine/machine-manifest.facts';
import { CLUSTER_FIELDS, FIXED, FieldEffect } from '../impact/cluster-impacts';
import { NEXT_START } from '../impact/object-impacts';
import { IN_PLACE, ROLES, ROLE_CHANGE } from '../impact/pool-impacts';
import { EFFECT_TONES } from '../impact/print-impact';

/** What a name is the name of: `VirtualMachine` is a construct and a kind. */
export type Subject =
  | 'construct'
  | 'type'
  | 'member'
  | 'kind'
  | 'field'
  | 'rule'
  | 'setting'
  | 'argument'
  | 'exit code'
  | 'search';

/** An entry of a list with columns, which text shows as a row of a table. */
export interface Row {
  readonly columns: readonly string[];
  readonly cells: readonly Text[];
  /** The entry as a line of its own. */
  readonly text: string;
}

/** Columns of the lists of explanations. */
export const COLUMNS = {
  MEMBERS: ['NAME', 'TYPE', 'WHAT'],
  FIELDS: ['FIELD', 'TYPE'],
  EDITS: ['FIELD', 'EFFECT', 'WHAT'],
  KEPT: ['FIELD', 'WHAT', 'RULE'],
  RULES: ['RULE', 'LEVEL', 'WHAT'],
  ARGUMENTS: ['ARGUMENT', 'SERVED BY', 'WHAT DIFFERS'],
} as const;

/** A part of an explanation: lines below a title. */
export interface ExplanationPart {
  readonly title: string;
  readonly lines: readonly string[];
  /** The same as a table. @default - the lines have no columns */
  readonly rows?: readonly Row[];
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
  subject: Subject,
  name: string,
  summary: string,
  docs: string,
  parts: { readonly [title: string]: readonly (string | Row | undefined)[] },
): Explanation {
  const all = Object.entries(parts).map(([title, entries]): ExplanationPart => {
    const rows = entries.filter((entry): entry is Row => typeof entry === 'object');
    return {
      title,
      lines: entries.flatMap((entry) => (typeof entry === 'object' ? entry.text : entry || [])),
      ...(rows.length > 0 ? { rows } : {}),
    };
  });
  return { subject, name, summary, parts: all.filter(({ lines }) => lines.length > 0), docs };
}

/** Explanations in a format. */
export function printExplanations(
  explanations: readonly Explanation[],
  format: (typeof EXPLAIN_FORMATS)[number],
): string | Block[] {
  // readers are in a project of their own, where the path is of no file
  const linked = explanations.map((each) => ({ ...each, docs: docsUrl(each.docs) }));
  switch (format) {
    case 'text':
      return linked.flatMap((each, index) => [...(index === 0 ? [] : [BLANK]), ...blocksOf(each)]);
    case 'json':
      return JSON.stringify(
        linked,
        (key, value: unknown) => (key === 'rows' ? undefined : value),
        2,
      );
    case 'markdown':
      return linked.map(markdownOf).join('\n\n');
  }
}

function blocksOf({ subject, name, summary, parts, docs }: Explanation): Block[] {
  return [
    line([toned('title', name), `: ${subject}`]),
    ...paragraphs(summary).flatMap((text, index) =>
      LIST_ITEM.test(text) ? [line(text, 2)] : [...(index === 0 ? [] : [BLANK]), line(text, 2, 0)],
    ),
    ...parts.flatMap((part) => [BLANK, line(toned('title', part.title)), ...partBlocks(part)]),
    BLANK,
    line([toned('title', 'docs'), `: ${docs}`]),
  ];
}

function partBlocks({ title, lines, rows }: ExplanationPart): Block[] {
  // an example is a text of its own, to be copied
  if (title === EXAMPLE) {
    return lines.flatMap((text) => text.split('\n').map((each) => command(each, 2)));
  }
  if (rows === undefined) {
    return lines.flatMap((text) =>
      text.split('\n').map((each, index) => line(each, index === 0 ? 2 : 4)),
    );
  }
  const { columns } = rows[0]!;
  const filled = columns
    .map((_, column) => column)
    .filter((column) => rows.some(({ cells }) => cells[column] !== ''));
  return [
    table(
      filled.map((column) => columns[column]!),
      rows.map(({ cells }) => filled.map((column) => cells[column]!)),
      2,
    ),
  ];
}

const LIST_ITEM = /^[-*] /;

/**
 * The paragraphs and the items of lists in a comment, whose lines are as long as those of the
 * sources.
 */
function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*[-*] )/)
    .flatMap((each) => each.trim().replace(/\s*\n\s*/g, ' ') || []);
}

function markdownOf({ subject, name, summary, parts, docs }: Explanation): string {
  const body = ({ title, lines }: ExplanationPart): string =>
    title === EXAMPLE
      ? `\`\`\`ts\n${lines.join('\n')}\n\`\`\``
      : lines.map((each) => `- ${markdownText(each)}`).join('\n');
  const blocks = parts.map((part) => `**${part.title}**\n\n${body(part)}`);
  return [
    `## ${markdownCode(name)}: ${subject}`,
    ...(summary ? [markdownText(summary)] : []),
    ...blocks,
    `Docs: ${docs}`,
  ].join('\n\n');
}

/** What an edit of a field does to machines, whatever the values; `impact` compares values. */
export interface FieldEdit extends FieldEffect {
  /** The path of the field, without the indexes of lists. */
  readonly path: string;
}

const MACHINE_CONFIG = kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND);
const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');
const POOLS = 'spec.rkeConfig.machinePools';
const METADATA = 'metadata';

/** `impact` puts the name of the field before an effect such as `applies to …`. */
function withSubject(effect: string): string {
  if (/^(?:are|apply) /.test(effect)) {
    return `they ${effect}`;
  }
  return /^(?:is|applies|decides|has|pauses) /.test(effect) ? `it ${effect}` : effect;
}

const EDITS: ReadonlyMap<string, readonly FieldEdit[]> = new Map([
  [
    CLUSTER,
    [
      {
        path: 'spec.kubernetesVersion',
        effect: 'restart',
        what: 'Kubernetes is changed in place on the existing machines; no virtual machine is replaced',
      },
      {
        path: POOLS,
        effect: 'delete',
        what: 'a pool that is removed or renamed loses its machines and their disks',
      },
      {
        path: `${POOLS}.quantity`,
        effect: 'delete',
        what: 'a lower number deletes machines with their disks, a higher one creates machines',
      },
      {
        path: `${POOLS}.machineConfigRef`,
        effect: 'replace',
        what: 'all machines of the pool are replaced, unless the other machine configuration has the same contents',
      },
      ...ROLES.map((role): FieldEdit => ({
        path: `${POOLS}.${role}`,
        effect: 'restart',
        what: ROLE_CHANGE,
      })),
      ...Object.entries(IN_PLACE).map(([field, what]): FieldEdit => ({
        path: `${POOLS}.${field}`,
        effect: 'none',
        what: `${withSubject(what)}; no machine is replaced`,
      })),
      ...Object.entries(CLUSTER_FIELDS).map(([path, row]): FieldEdit => ({
        ...row,
        what: withSubject(row.what),
        path: `spec.${path}`,
      })),
      ...Object.entries(FIXED).map(([key, what]): FieldEdit => ({
        path: `spec.rkeConfig.machineGlobalConfig.${key}`,
        effect: 'restart',
        what,
      })),
    ],
  ],
  [
    MACHINE_CONFIG,
    [
      {
        path: '',
        effect: 'replace',
        what: 'all machines of the pool are replaced, also for a different layout of the same JSON or user data; what is on their disks is lost',
      },
      { path: METADATA, effect: 'none', what: 'no machine is replaced' },
    ],
  ],
  [
    kindKey(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE),
    [{ path: 'spec.template.spec', effect: 'restart', what: NEXT_START }],
  ],
]);

/** What edits do to the machines of objects of a kind, by field. */
export function editsOf(kind: string): readonly FieldEdit[] {
  return EDITS.get(kind) ?? [];
}

const PROVISIONED = {
  additionalManifests: 'spec.rkeConfig.additionalManifest',
  authorizedEndpoint: 'spec.localClusterAuthEndpoint',
  clusterAgent: 'spec.clusterAgentDeploymentCustomization',
  fleetAgent: 'spec.fleetAgentDeploymentCustomization',
  kubernetes: 'spec.kubernetesVersion',
  machineFiles: 'spec.rkeConfig.machineSelectorFiles',
  machineSelectors: 'spec.rkeConfig.machineSelectorConfig',
  podSecurityTemplate: 'spec.defaultPodSecurityAdmissionConfigurationTemplateName',
  stackPreference: 'spec.rkeConfig.networking',
  webhook: 'spec.webhookDeploymentCustomization',
};

/**
 * Fields of a Cluster that a construct does not write: Rancher creates no machines of a custom
 * cluster, and does not provision what it imports.
 */
const NOT_WRITTEN: { readonly [construct: string]: string } = {
  CustomCluster: POOLS,
  HarvesterImport: 'spec',
};

/** What edits do to the machines of objects of a kind that a construct writes, by field. */
export function editsOfConstruct(construct: string, kind: string): readonly FieldEdit[] {
  const without = kind === CLUSTER ? NOT_WRITTEN[construct] : undefined;
  return without === undefined
    ? editsOf(kind)
    : editsOf(kind).filter(({ path }) => !isWithin(pathOf(path), pathOf(without)));
}

/**
 * Props whose field has another name, as paths of a Cluster. The others are named as the last part
 * of their field.
 */
const FIELD_OF_PROP: { readonly [type: string]: { readonly [prop: string]: string } } = {
  MachinePool: {
    name: POOLS,
    roles: `${POOLS}.workerRole`,
    autoscaling: `${POOLS}.autoscalingMinSize`,
    credential: `${POOLS}.cloudCredentialSecretName`,
    machineConfigName: `${POOLS}.machineConfigRef`,
    machineOs: `${POOLS}.machineOS`,
    nodeLabels: `${POOLS}.labels`,
  },
  ProvisionedCluster: PROVISIONED,
  CustomCluster: PROVISIONED,
  GuestCluster: { ...PROVISIONED, credential: 'spec.cloudCredentialSecretName', pools: POOLS },
};

/** Props of a machine pool that are written to the metadata of its HarvesterConfig. */
const PROPS_OF_METADATA: readonly string[] = ['machineConfigLabels', 'machineConfigAnnotations'];

/**
 * What an edit of a prop of a machine pool, a guest cluster, or a custom cluster does to machines.
 * Undefined where it does nothing to them, or is of another type.
 */
export function editOfProp(type: string, prop: string): FieldEdit | undefined {
  const owner = type.replace(/Props$/, '');
  const fields = FIELD_OF_PROP[owner];
  if (!fields) {
    return undefined;
  }
  if (PROPS_OF_METADATA.includes(prop)) {
    return editsOf(MACHINE_CONFIG).find((edit) => edit.path === METADATA);
  }
  const path = fields[prop] ?? `${owner === 'MachinePool' ? POOLS : 'spec(.rkeConfig)?'}.${prop}`;
  const pattern = new RegExp(`^${path}$`);
  return (
    editsOf(CLUSTER).find((edit) => edit.path === path || pattern.test(edit.path)) ??
    (owner === 'MachinePool' ? editsOf(MACHINE_CONFIG)[0] : undefined)
  );
}

/** Edits: fields with the same effect in one row. */
export function editRows(edits: readonly FieldEdit[]): Row[] {
  return [...grouped(edits, ({ what }) => what)].map(([what, same]) => {
    const fields = same.map(({ path }) => path || 'any field').join(', ');
    const [{ effect }] = same as [FieldEdit];
    return {
      columns: COLUMNS.EDITS,
      cells: [fields, toned(EFFECT_TONES[effect], effect), what],
      text: `${fields}: ${what}`,
    };
  });
}
