import { lostLateFiles } from '../../core/leaving/left-output';
import { Manifest, printName } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyTarget, TARGET_KINDS } from '../../core/output/assembly';
import {
  LateTemplates,
  OUTSIDE,
  isLateObject,
  lateFilesIn,
  lateName,
  waitsForSecret,
} from '../../core/output/late-files';
import { judgeLateFiles } from '../../core/output/late-files.rules';
import { briefs, summary } from '../../core/rule/report';
import { commandLine, plural } from '../../core/text/plain-text';
import { BLANK, Block, command, line, list, toned } from '../../core/text/screen';
import { grouped, attempt } from '../../core/text/values';
import { isOutside, outsideLabel } from '../../core/value/secret-value';
import { originOf } from '../../engine/late/origin';
import { loadReadable, readAssembly } from '../../engine/read/load-assembly';
import { wayOf } from '../../engine/read/what-leaves';
import { Becomes, whatBecomes } from '../../engine/removal/removal';

const PRODUCTS = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes' } as const;

/** What an output folder contains, and what to do next. */
export function showText(folder: string): Block[] {
  const assembly = readAssembly(folder);
  const { objects } = assembly;
  const templates = new LateTemplates(assembly);
  const late = lateFilesIn(
    folder,
    [...templates.objects.values()].map((object) => templates.folderOf(object)),
  );
  const findings = [
    ...assembly.findings,
    ...judgeLateFiles(assembly, templates, late),
    ...lostLateFiles(folder, assembly),
  ];
  const lateFiles = new Map(late.map(({ file, record }) => [record.object, file]));
  const targets = [...assembly.targets].sort(
    (a, b) => TARGET_KINDS.indexOf(a.kind) - TARGET_KINDS.indexOf(b.kind),
  );
  const labels = new Map(objects.map((object) => [object.id, labelOf(object)]));
  return [
    ...targets.flatMap((target) =>
      targetText(
        folder,
        target,
        objects.filter((object) => object.target === target.name),
        { labels, lateFiles },
      ),
    ),
    ...keptText(folder, assembly, labels),
    ...titled('findings', summary(findings)),
    list(briefs(findings), 'findings', 2),
    BLANK,
    ...waitingText(assembly),
    ...storeText(assembly),
    ...titled('next steps'),
    ...nextSteps(folder, targets, assembly),
  ];
}

function titled(title: string, rest?: string): Block[] {
  return [
    line(rest === undefined ? [toned('title', title), ':'] : [toned('title', title), `: ${rest}`]),
  ];
}

function labelOf(object: AssemblyObject): string {
  return `${object.kind} ${printName(object)}`;
}

interface Known {
  readonly labels: ReadonlyMap<string, string>;
  readonly lateFiles: ReadonlyMap<string, string>;
}

/** The objects of a target; one without objects is not listed. */
function targetText(
  folder: string,
  target: AssemblyTarget,
  objects: readonly AssemblyObject[],
  { labels, lateFiles }: Known,
): Block[] {
  if (objects.length === 0) {
    return [];
  }
  const files = new Set(objects.flatMap(({ file }) => (file ? [file] : [])));
  const written = objects
    .filter(({ file }) => file)
    .map((object) => {
      const needs = (object.needs ?? []).map((id) => labels.get(id) ?? id);
      const why =
        needs.length > 0
          ? ` (needs ${needs.join(', ')}, which ${needs.length === 1 ? 'waits' : 'wait'} for late values)`
          : '';
      return line([labelOf(object), toned('quiet', why)], 2);
    });
  const others = objects
    .filter(({ file }) => !file)
    .map((object) =>
      line([labelOf(object), toned('quiet', ` (${whereWaiting(object, lateFiles)})`)], 2),
    );
  return [
    line([
      toned('title', `${folder}/${target.folder}/`),
      `  ${PRODUCTS[target.kind]} ${target.version}  `,
      files.size === 0
        ? toned('quiet', 'no file yet')
        : `${files.size} ${files.size === 1 ? 'file' : 'files'}`,
    ]),
    list([...written, ...others], 'objects', 2),
    BLANK,
  ];
}

function whereWaiting(
  { id, onlyApply }: AssemblyObject,
  lateFiles: ReadonlyMap<string, string>,
): string {
  if (onlyApply !== undefined) {
    return `only apply writes it: it ${onlyApply}`;
  }
  const file = lateFiles.get(lateName(id));
  return file === undefined
    ? 'waits for late values, kept in the assembly'
    : `waits for late values, resolved in ${file}`;
}

/** What remains of the objects when they leave the output, with the reasons. */
function keptText(
  folder: string,
  assembly: Assembly,
  labels: ReadonlyMap<string, string>,
): Block[] {
  const targets = new Map(assembly.objects.map(({ id, target }) => [id, target]));
  const kept = [...leaving(folder, assembly)].filter(
    ([, { fate }]) => fate !== 'deleted' && fate !== 'moved',
  );
  if (kept.length === 0) {
    return [];
  }
  return [
    ...titled(`objects that are not deleted when they leave the output, by ${wayOf(assembly)}`),
    ...[
      ...grouped(kept, ([, { fate, reason }]) => `${fate}: ${withLabels(reason, labels)}`),
    ].flatMap(([why, objects]) => [
      line(why, 2),
      list(
        objects.map(([id]) =>
          line(`${labels.get(id) ?? id} on ${targets.get(id) ?? 'its target'}`, 4),
        ),
        'objects',
        4,
      ),
    ]),
    BLANK,
  ];
}

/** A reason that begins with the ID of an object, with its label instead. */
function withLabels(reason: string, labels: ReadonlyMap<string, string>): string {
  const [id] = reason.split(' ');
  const label = labels.get(id);
  return label === undefined ? reason : `${label}${reason.slice(id.length)}`;
}

/**
 * What becomes of each object. Encrypted files that cannot be decrypted, and damaged ones, do not
 * hide what the assembly records.
 */
function leaving(folder: string, assembly: Assembly): ReadonlyMap<string, Becomes> {
  const removed = new Set(assembly.objects.map(({ id }) => id));
  const manifests = manifestsOf(folder);
  const kept =
    assembly.stages &&
    new Map(
      assembly.objects.flatMap(({ id, kept: found }) =>
        found ? [[id, { fate: 'kept' as const, ...found }] as const] : [],
      ),
    );
  return whatBecomes({ assembly, manifests, way: wayOf(assembly), removed, judges: false, kept });
}

function manifestsOf(folder: string): ReadonlyMap<string, Manifest> {
  return attempt(() => loadReadable(folder).manifests) ?? new Map();
}

function waitingText({ lateValues, targets }: Assembly): Block[] {
  const late = lateValues.filter(({ source }) => !isOutside(source));
  const outside = lateValues.map(({ source }) => source).filter(isOutside);
  const secrets =
    outside.length === 0
      ? []
      : [
          ...titled('secrets that apply reads again, since no file contains them'),
          list(
            outside.map((source) => line(outsideLabel(source), 2)),
            'secrets',
            2,
          ),
          BLANK,
        ];
  if (late.length === 0) {
    return secrets;
  }
  return [
    ...secrets,
    ...titled('late values, known only to the live clusters'),
    list(
      late.map((each) => {
        const origin = originOf(each, targets);
        return line(
          [
            each.id,
            toned('quiet', `  ${each.description}${origin === undefined ? '' : ` (${origin})`}`),
          ],
          2,
        );
      }),
      'late values',
      2,
    ),
    BLANK,
  ];
}

function storeText({ storeKeys = [] }: Assembly): Block[] {
  if (storeKeys.length === 0) {
    return [];
  }
  const lines = storeKeys.map(
    ({ store, key, properties }) =>
      `${store}  ${key}${properties ? `  with the properties ${properties.join(', ')}` : ''}`,
  );
  return [
    ...titled('keys that external stores must contain'),
    list(
      [...new Set(lines)].map((text) => line(text, 2)),
      'keys',
      2,
    ),
    BLANK,
  ];
}

function nextSteps(
  folder: string,
  targets: readonly AssemblyTarget[],
  assembly: Assembly,
): Block[] {
  const { objects, stages } = assembly;
  const isWaiting = objects.some(isLateObject);
  const left = objects.filter(({ onlyApply }) => onlyApply !== undefined).length;
  const lint = [line('check it again:', 2), ownCommand('lint', folder)];
  if (stages) {
    return [
      ...engineSteps(folder, isWaiting, waitsForSecret(assembly)),
      ...leftSteps(folder, left),
      ...lint,
    ];
  }
  const isEncrypted = objects.some(({ file }) => file?.endsWith(ENCRYPTED));
  return [
    line(
      `compare it with the live clusters, and apply it in order${isEncrypted ? ', with the private key (SOPS_AGE_KEY_FILE)' : ''}:`,
      2,
    ),
    ownCommand('plan', folder),
    ownCommand('apply', folder),
    ...(isEncrypted
      ? [line(`or commit ${folder}/ for Flux, which decrypts it`, 2)]
      : kubectlSteps(folder, targets, objects)),
    ...(isEncrypted || !isWaiting
      ? []
      : [
          line(
            'then complete what waits for late values, and synthesize again with CDK8S_HARVESTER_LATE_VALUES=late.json:',
            2,
          ),
          ownCommand('resolve', folder, '--write-values', 'late.json'),
        ]),
    ...(left === 0
      ? []
      : [line(`only apply writes ${plural(left, 'object')}, which no file contains`, 2)]),
    ...lint,
  ];
}

/** What an engine does not write. */
function leftSteps(folder: string, left: number): Block[] {
  if (left === 0) {
    return [];
  }
  return [
    line(`then write ${plural(left, 'object')} that the engine does not:`, 2),
    ownCommand('apply', folder),
  ];
}

/** Files that a server refuses: only Flux and apply decrypt them. */
const ENCRYPTED = '.sops.yaml';

/** Without `apply`: an engine takes the folder as it is, and kubectl the folder of each target. */
function kubectlSteps(
  folder: string,
  targets: readonly AssemblyTarget[],
  objects: readonly AssemblyObject[],
): Block[] {
  const applied = targets.filter(({ name }) =>
    objects.some(({ target, file }) => target === name && file),
  );
  return [
    line(`or commit ${folder}/ for a GitOps engine, or apply it with kubectl in this order:`, 2),
    list(
      applied.map((target) =>
        command(
          `kubectl --context <${target.name}> apply --server-side -f ${folder}/${target.folder}/`,
          4,
        ),
      ),
      'targets',
      4,
    ),
  ];
}

function ownCommand(...words: string[]): Block {
  return command(commandLine('cdk8s-harvester', ...words), 4);
}

/** An engine delivers the folder. Nothing with a credential is proposed for the repository. */
function engineSteps(folder: string, isWaiting: boolean, hasSecret: boolean): Block[] {
  const out = hasSecret ? OUTSIDE : folder;
  return [
    line(`commit ${folder}/: the engine delivers its stages in order`, 2),
    ...(isWaiting
      ? [
          line('then complete what waits for late values:', 2),
          ownCommand('resolve', folder, '--write-manifests', out),
        ]
      : []),
    ...(isWaiting && hasSecret
      ? [line(`and apply each folder in ${out} with kubectl: it contains credentials`, 2)]
      : []),
  ];
}
