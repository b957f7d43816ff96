import { writeFileSync } from 'fs';
import { relative, resolve, sep } from 'path';
import { isMap, isScalar, isSeq, LineCounter, Node, YAMLMap } from 'yaml';
import { deletedTogether } from './deleted-together';
import { withDeletionCauses } from './deletion-causes';
import { withEncrypted, withEncryptedAccepted } from './encrypted-objects';
import { OutputEnvironment, environmentsIn } from './environments';
import { lateFindings, resolvedNames } from './late-output';
import { parseVersion } from './load-assembly';
import { outputChange } from './output-change';
import { Input, readFound } from './read-input';
import { keyOfObject, whatLeaves } from './what-leaves';
import { isKeptByEngine } from '../../core/kind/retention';
import { OutputChange, leftOutput } from '../../core/leaving/left-output.rules';
import { FieldPath, isRecord, objectId, pathOf, refId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { readRegularText } from '../../core/output/regular-file';
import { withoutPlaceholderErrors } from '../../core/program/placeholder-findings';
import { Finding, FindingLevel, FindingObject } from '../../core/rule/finding';
import { sortFindings } from '../../core/rule/judge';
import { judgeAll } from '../../core/rule/judge-all';
import { ENCRYPTED, OTHER_PROGRAM, OUTPUT_LATE_MISSING } from '../../core/rule/program-rules';
import { isSuppressible, JudgedObject, JudgedTarget, KnownIdentity } from '../../core/rule/rule';
import { compare, remembered } from '../../core/text/values';
import { placedDocumentsOf } from '../../core/yaml/yaml-reader';
import { refuseUnread } from '../files/file-findings';
import { TargetOptions, targetsOf } from '../files/judged-targets';
import { Becomes } from '../removal/removal';

/** An accepted finding: what identifies it, without its value or message, which may change. */
interface Accepted {
  readonly rule: string;
  readonly target: string;
  /** `<apiVersion>/<kind>/<namespace>/<name>`; `file/<path>`; empty for the target itself. */
  readonly object: string;
  readonly path: string;
  /** The output folder. @default - all paths are one environment */
  readonly environment?: string;
}

const VERSION = 1;

const FIELDS = ['rule', 'target', 'object', 'path'] as const satisfies readonly (keyof Accepted)[];

/** The keys of the findings that a baseline file accepts. Throws if it is not one. */
export function readBaseline(file: string): ReadonlySet<string> {
  let content: unknown;
  try {
    content = JSON.parse(readRegularText(file));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(
      `--baseline ${file}: ${missing ? 'does not exist' : 'is not valid JSON'}. Fix: write it with --update-baseline`,
    );
  }
  const { version, accepted } = isRecord(content) ? content : {};
  if (version !== VERSION || !Array.isArray(accepted) || !accepted.every(isAccepted)) {
    throw new Error(
      `--baseline ${file}: is not a baseline of version ${VERSION}. Fix: write it again with --update-baseline`,
    );
  }
  const refused = accepted.find(({ rule }) => !isSuppressible(rule));
  if (refused) {
    throw new Error(
      `--baseline ${file}: rule ${refused.rule} cannot be accepted. Fix: correct what it reports, and remove the entry`,
    );
  }
  return new Set(accepted.map(keyOf));
}

/**
 * Writes a baseline that accepts all findings about objects, targets, and files, except those of
 * rules that cannot be accepted.
 */
export function writeBaseline(file: string, findings: readonly Finding[]): void {
  const counted = findings.filter(
    ({ rule, suppressed }) => suppressed === undefined && isSuppressible(rule),
  );
  const byKey = new Map(counted.flatMap(acceptedIn).map((accepted) => [keyOf(accepted), accepted]));
  const accepted = [...byKey].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
  writeFileSync(file, `${JSON.stringify({ version: VERSION, accepted }, undefined, 2)}\n`);
}

/**
 * Suppresses the findings that a baseline accepts; `unused` is the number of its entries without a
 * finding.
 */
export function applyBaseline(
  findings: readonly Finding[],
  accepted: ReadonlySet<string>,
  file: string,
): { findings: Finding[]; unused: number } {
  const used = new Set<string>();
  const judged = findings.map((finding) => {
    const [key] = acceptedIn(finding).map(keyOf);
    if (key === undefined || !accepted.has(key)) {
      return finding;
    }
    used.add(key);
    return { ...finding, suppressed: finding.suppressed ?? `accepted in ${file}` };
  });
  return { findings: judged, unused: accepted.size - used.size };
}

/**
 * What identifies a finding, without its value or message, which may change. Undefined for one
 * about a file or the program.
 */
export function findingKey(finding: Finding): string | undefined {
  return acceptedOf(finding).map(keyOf)[0];
}

function acceptedOf({ rule, target = '', object, path, environment }: Finding): [Accepted] | [] {
  const place = environment === undefined ? {} : { environment };
  if (!object) {
    return target === '' ? [] : [{ rule, target, object: '', path, ...place }];
  }
  return [
    {
      rule,
      target,
      object: [object.apiVersion, object.kind, object.namespace ?? '', object.name].join('/'),
      path,
      ...place,
    },
  ];
}

/** What a baseline accepts: also a finding about a whole file, by its path from the working folder. */
function acceptedIn(finding: Finding): [Accepted] | [] {
  const [accepted] = acceptedOf(finding);
  const { rule, object, path, file } = finding;
  if (accepted || object !== undefined || file === undefined) {
    return accepted ? [accepted] : [];
  }
  const place = relative(process.cwd(), resolve(file)).split(sep).join('/');
  return [{ rule, target: '', object: `file/${place}`, path }];
}

function keyOf(accepted: Accepted): string {
  return JSON.stringify([...FIELDS.map((field) => accepted[field]), accepted.environment ?? '']);
}

function isAccepted(value: unknown): value is Accepted {
  return (
    isRecord(value) &&
    FIELDS.every((field) => typeof value[field] === 'string') &&
    ['string', 'undefined'].includes(typeof value.environment)
  );
}

/**
 * Adds the lines of files to findings: of the field, or of the existing part of its path, or of the
 * object.
 */
function withLines(findings: readonly Finding[]): Finding[] {
  const files = new Map<string, YamlFile>();
  return findings.map((finding) => {
    const { file, object, path } = finding;
    if (file === undefined || object === undefined) {
      return finding;
    }
    const line = remembered(files, file, () => new YamlFile(file)).line(object, path);
    return line === undefined ? finding : { ...finding, line };
  });
}

class YamlFile {
  private readonly lines: LineCounter = new LineCounter();
  private readonly objects = new Map<string, { readonly node: YAMLMap; readonly start: number }>();

  public constructor(file: string) {
    const text = readRegularText(file);
    for (let at = 0; at >= 0; at = text.indexOf('\n', at) + 1 || -1) {
      this.lines.addNewLine(at);
    }
    for (const { document, start } of placedDocumentsOf(text)) {
      this.add(document.contents, start);
    }
  }

  public line(object: FindingObject, path: string): number | undefined {
    const found = this.objects.get(
      placeOf(object.apiVersion, object.kind, object.namespace, object.name),
    );
    return found && this.lines.linePos(found.start + offsetOf(found.node, pathOf(path))).line;
  }

  /**
   * Adds the object in a document, which may be a list of objects. The first one of a name counts.
   */
  private add(node: unknown, start: number): void {
    if (!isMap(node)) {
      return;
    }
    const items = node.get('items');
    if (isSeq(items) && String(node.get('kind')).endsWith('List')) {
      for (const item of items.items) {
        this.add(item, start);
      }
      return;
    }
    const place = placeOf(
      node.get('apiVersion'),
      node.get('kind'),
      node.getIn(['metadata', 'namespace']),
      String(node.getIn(['metadata', 'name']) ?? ''),
    );
    if (!this.objects.has(place)) {
      this.objects.set(place, { node, start });
    }
  }
}

function placeOf(...identity: readonly unknown[]): string {
  return JSON.stringify(identity.map((part) => part ?? ''));
}

/** The offset of a field: of its key, as in an editor, or of the last existing step of its path. */
function offsetOf(object: YAMLMap, path: FieldPath): number {
  let offset = object.range![0];
  let node: unknown = object;
  for (const step of path) {
    let begin: Node | undefined;
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => String(isScalar(key) ? key.value : key) === String(step),
      );
      begin = pair?.key as Node | undefined;
      node = pair?.value;
    } else if (isSeq(node)) {
      begin = node.items[Number(step)] as Node | undefined;
      node = begin;
    } else {
      break;
    }
    if (!begin?.range) {
      break;
    }
    [offset] = begin.range;
  }
  return offset;
}

/** What manifests are judged by and against. */
export interface LintOptions extends TargetOptions {
  /**
   * Files and folders of objects that are already live: the manifests are judged against them.
   * @default - none
   */
  readonly world?: readonly string[];
  /**
   * Files and folders of the same objects before the edit: edits and deletions are judged, too.
   * @default - none
   */
  readonly before?: readonly string[];
}

/**
 * Judges manifests by the rules of Rancher and Harvester. The output folders in a folder that
 * contains several are judged one by one.
 *
 * @returns the findings, sorted, with the lines of their files
 */
export function lintPaths(paths: readonly string[], options: LintOptions = {}): Finding[] {
  checkVersions(options);
  const environments = environmentsIn(paths, options, options);
  const findings = environments.flatMap((environment) => lintEnvironment(environment, options));
  return environments.length > 1 ? sortFindings(uniqueFindings(findings)) : findings;
}

/** Findings without those about files that belong to several environments, but once. */
function uniqueFindings(findings: readonly Finding[]): Finding[] {
  const byText = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...byText.values()];
}

/** Judges the manifests of one environment, as `lint` does. */
export function lintEnvironment(environment: OutputEnvironment, options: TargetOptions): Finding[] {
  const input = withEncrypted(readFound(environment.listed, options));
  // the world and the previous output carry no targets of their own: they belong to those that are
  // judged
  const among = targetsOf(input.assemblies, options);
  const world = withEncrypted(readFound(environment.world, options, among));
  const before = withEncrypted(readFound(environment.before, options, among));
  refuseUnread([...world.findings, ...before.findings], ENCRYPTED);
  const findings = lintInputs(input, {
    world,
    before: environment.before.length > 0 ? before : undefined,
    among,
  });
  return findings.map((finding) => ofEnvironment(finding, environment));
}

/** What manifests are judged by and against, once it is read. */
interface ReadWorld {
  readonly world: Input;
  /** @default - edits and deletions are not judged */
  readonly before?: Input;
  /** The targets of the manifests. */
  readonly among: readonly JudgedTarget[];
}

/** Judges manifests that are read. */
export function lintInputs(input: Input, { world, before, among }: ReadWorld): Finding[] {
  const known = [
    ...input.assemblies.flatMap((assembly) => assembly.known ?? []),
    ...resolvedNames(input),
    ...[...input.encrypted, ...world.encrypted].map(identityOf),
  ];
  const findings = judgeAll(input.objects, world.objects, before?.objects ?? [], known, among);
  const { left, together } = before ? leavingFindings(before, input) : { left: [], together: [] };
  // a lost file shows in the comparison, too
  const lost = new Set(left.filter(({ rule }) => rule === OUTPUT_LATE_MISSING.id).map(whatOf));
  const late = lateFindings(input).filter(
    (finding) => finding.rule !== OUTPUT_LATE_MISSING.id || !lost.has(whatOf(finding)),
  );
  const joined = withDeletionCauses(
    withEncryptedAccepted(
      findings.map((finding) => withReason(finding, input.assemblies)),
      input.objects,
    ),
    left,
  );
  const all = [
    ...input.findings,
    ...joined.findings,
    ...joined.left,
    ...together,
    ...late,
    ...declaredTwice(input, world),
  ];
  return withLines(sortFindings(withoutPlaceholderErrors(all, input.objects)));
}

/** A finding with its environment, unless it is about a file that belongs to several. */
function ofEnvironment(finding: Finding, { name, common }: OutputEnvironment): Finding {
  const { file = '' } = finding;
  const isCommon = common.some(
    ({ files, charts, skipped }) =>
      files.includes(file) ||
      charts.some(({ folder }) => folder === file) ||
      skipped.some((each) => each.file === file),
  );
  return name && !isCommon ? { ...finding, environment: name } : finding;
}

/** Findings about objects that the outputs of other programs contain as well. */
function declaredTwice(input: Input, world: Input): Finding[] {
  const others = new Map(
    world.assemblies.flatMap(({ objects }, index) =>
      objects.map((object) => [refId(object.target, object), world.folders[index]!] as const),
    ),
  );
  if (others.size === 0) {
    return [];
  }
  const { id: rule, level, source } = OTHER_PROGRAM;
  return [...input.objects, ...input.encrypted].flatMap((object): Finding[] => {
    const { manifest, target, construct, file } = object;
    const other = others.get(objectId(target.name, manifest));
    const { apiVersion, kind, metadata } = manifest;
    const { namespace, name } = metadata;
    if (other === undefined) {
      return [];
    }
    return [
      {
        rule,
        level: level as FindingLevel,
        message: `is declared by another program, too, whose output is ${other}`,
        path: '',
        fix: 'remove it from one of the programs, and refer to it there with fromName',
        source,
        object: { apiVersion, kind, ...(namespace ? { namespace } : {}), name },
        target: target.name,
        ...(construct === undefined ? {} : { construct }),
        ...(file === undefined ? {} : { file }),
      },
    ];
  });
}

/** Findings about what leaves the output. */
function leavingFindings(
  before: Input,
  input: Input,
): { readonly left: readonly Finding[]; readonly together: readonly Finding[] } {
  const change = outputChange(before, input);
  const becomes = whatLeaves(change, before.assemblies);
  const left = leftOutput(withFates(change, becomes));
  return {
    left: [...left, ...change.removals.unused(left, change.after, true)],
    together: deletedTogether(change, before.assemblies, becomes),
  };
}

function whatOf({ target, object }: Finding): string {
  return JSON.stringify([target, object]);
}

/** The objects that leave, with what becomes of them by the delivery of the previous output. */
export function withFates(
  change: OutputChange,
  becomes: ReadonlyMap<string, Becomes>,
): OutputChange {
  if (!change.hasEngine) {
    return { ...change, becomes };
  }
  return {
    ...change,
    before: change.before.map((object) => {
      const { fate, reason = '', neededBy } = becomes.get(keyOfObject(object)) ?? {};
      if (fate === 'kept') {
        return isKeptByEngine(object.manifest)
          ? { ...object, kept: { reason, neededBy } }
          : { ...object, remains: reason };
      }
      return fate === 'blocks' ? { ...object, blocks: reason } : object;
    }),
  };
}

function identityOf({ target, manifest }: JudgedObject): KnownIdentity {
  const { apiVersion, kind } = manifest;
  const { namespace, name } = manifest.metadata;
  return {
    target: target.name,
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

// rules skip what they do not know, so an unreadable version would pass for an unknown one
function checkVersions({
  rancherVersion,
  harvesterVersion,
  kubernetesVersion,
}: TargetOptions): void {
  const given = [
    ['--rancher-version', 'rancher', rancherVersion],
    ['--harvester-version', 'harvester', harvesterVersion],
    ['--kubernetes-version', 'guest', kubernetesVersion],
  ] as const;
  for (const [option, kind, text] of given) {
    try {
      if (text !== undefined) {
        parseVersion(kind, text);
      }
    } catch (error) {
      throw new Error(`${option}: ${(error as Error).message}`);
    }
  }
}

// what the program suppressed is suppressed in its output, too
function withReason(finding: Finding, assemblies: readonly Assembly[]): Finding {
  const known = assemblies
    .flatMap((assembly) => assembly.findings)
    .find(
      (candidate) =>
        candidate.suppressed !== undefined &&
        candidate.rule === finding.rule &&
        candidate.construct === finding.construct &&
        candidate.path === finding.path,
    );
  return known ? { ...finding, suppressed: known.suppressed } : finding;
}
