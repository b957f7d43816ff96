import { AssemblyRemoval, KeptByEngine, StageEngine } from './assembly';
import { kindOf } from '../kind/all-kinds';
import { Holding } from '../kind/kind';
import { holdingOf, isKeptByEngine, isKeptInStages, retainedByDefault } from '../kind/retention';
import { lateIdsIn } from '../late/late-text';
import { Manifest, objectKey, objectLabel, objectId } from '../manifest/manifest';
import { Finding, FindingLevel } from '../rule/finding';
import { objectOf } from '../rule/judge';
import { Problem } from '../rule/problem';
import { OUTPUT_GONE, OUTPUT_LATE_MISSING, OUTPUT_MOVES, OUTPUT_MOVES_TARGET, OUTPUT_NOW_WAITS } from '../rule/program-rules';
import { Rule } from '../rule/rule';
import { escapeRegExp, grouped } from '../text/values';

/** An object of one side of a comparison of two outputs. */
export interface OutputObject {
  readonly target: string;
  readonly manifest: Manifest;
  readonly construct?: string;
  /** The file that holds it; undefined while it waits for late values. */
  readonly file?: string;
  /** Whether `resolve` writes it for an engine: it waits for a late value, or for an object that does. @default - only where it contains one */
  readonly isLate?: boolean;
  /** Whether `resolve` wrote its file. @default - synthesis wrote it, or someone else */
  readonly isResolved?: boolean;
  /** The IDs of the objects that it needs and that wait for late values. @default - none are known */
  readonly needs?: readonly string[];
  /** How it is deleted, by the assembly. @default - it is deleted */
  readonly policy?: string;
  /** Why the engine keeps it. @default - the engine deletes it, or the manifest alone shows that it does not */
  readonly kept?: KeptByEngine;
  /** Why a server refuses to delete it, in which case nothing else of its stage arrives. @default - no reason is known */
  readonly blocks?: string;
  /** Its stage, where the engine prunes each stage by itself. @default - the engine prunes all objects of a target together, or there is no engine */
  readonly stage?: string;
}

/** The known facts about a late value that an object waits for. */
interface AwaitedValue {
  readonly description: string;
  /** The object that it is read from. */
  readonly source: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
}

/** Two outputs of one program, and the accepted removals. */
export interface OutputChange {
  readonly before: readonly OutputObject[];
  /** The IDs of all objects of the previous output. @default - those of `before` */
  readonly existed?: ReadonlySet<string>;
  readonly after: readonly OutputObject[];
  readonly removals: readonly AssemblyRemoval[];
  readonly lateValue: (id: string) => AwaitedValue | undefined;
  /** Whether a program wrote the new output: it can accept a removal, where plain manifests need a baseline. */
  readonly hasProgram: boolean;
  /** Whether the previous output is for an engine, or may be. Otherwise `apply` deletes and creates in order. */
  readonly hasEngine: boolean;
  /** The engine of the new output, if it prunes each stage by itself. @default - it prunes all objects of a target together, or there is no engine */
  readonly stageEngine?: StageEngine;
}

/** The objects of both sides by what identifies them. */
interface Sides {
  readonly change: OutputChange;
  readonly after: ReadonlyMap<string, OutputObject>;
  readonly byConstruct: ReadonlyMap<string, OutputObject>;
  /** The objects of all targets by kind, namespace, and name. */
  readonly namesakes: ReadonlyMap<string, readonly OutputObject[]>;
  readonly existed: ReadonlySet<string>;
}

/**
 * Objects that a file held and no file holds any more: engines that prune delete them.
 *
 * Errors where an object holds machines, data or tenants, unless the program accepts the removal; warnings for all others, and for what is kept on
 * its cluster.
 */
export function leftOutput(change: OutputChange): Finding[] {
  // a file that `resolve` wrote, rather than the template of its object
  const fromFilesLast = [...change.after].sort((a, b) => Number(a.file !== undefined) - Number(b.file !== undefined));
  const sides: Sides = {
    change,
    after: new Map(fromFilesLast.map((object) => [keyOf(object), object])),
    byConstruct: new Map(change.after.flatMap((object) => (object.construct === undefined ? [] : [[constructKey(object), object] as const]))),
    namesakes: grouped(change.after, ({ manifest }) => objectKey(manifest)),
    existed: change.existed ?? new Set(change.before.map(keyOf)),
  };
  return change.before.flatMap((object): Finding[] => {
    if (object.file === undefined) { return []; }
    const now = sides.after.get(keyOf(object));
    if (now && isWritten(now)) { return movesStage(object, now, change); }
    const sameConstruct = object.construct === undefined ? undefined : sides.byConstruct.get(constructKey(object));
    // its name may be what it waits for
    const waiting = now ?? (sameConstruct && lateIdsIn(sameConstruct.manifest.metadata.name).length > 0 ? sameConstruct : undefined);
    return [waiting ? nowWaits(object, waiting, change) : movesTarget(object, sides) ?? gone(object, sameConstruct, sides)];
  });
}

/**
 * What becomes of an object that leaves one stage and appears in another.
 *
 * Flux deletes what carries the name of the stage that it left: the new stage, once it is reconciled, writes its own name there. Helm, and so Fleet, deletes
 * what left a release, also if another one has written it since.
 * @see fluxcd/kustomize-controller:internal/controller/kustomization_controller.go prune; helm/helm:pkg/action/upgrade.go
 */
const MOVED: Readonly<Record<StageEngine, (loss: string) => string>> = {
  Flux: (loss) => `Flux deletes it${loss}, and creates it again, if it reconciles the previous stage first; otherwise it keeps it`,
  Fleet: (loss) => `Fleet deletes it${loss}${loss === '' ? '' : ','} together with the previous stage, also after the new one has created it`,
};

/** A stage of a layout in which stages were numbered: Kustomizations and bundles of that layout keep their objects when they are removed. */
const NUMBERED = /^[^/]+$/;

function movesStage(before: OutputObject, now: OutputObject, change: OutputChange): Finding[] {
  const isMoved = before.stage !== undefined && now.stage !== undefined && before.stage !== now.stage;
  if (!isMoved || NUMBERED.test(before.stage) || isKeptInStages(before.manifest)) {
    return [];
  }
  const { stage: from } = before;
  const becomes = MOVED[change.stageEngine ?? 'Flux'];
  return [finding(OUTPUT_MOVES, before, change, now.construct, (loss) => ({
    path: '',
    message: `moves from stage ${from} to ${now.stage}: ${becomes(loss)}`,
    fix: `deliver Retention.of(construct).retain() for it first, then this change, then remove the retention; ${acceptance(before, change)}`,
  }))];
}

/** The id of an object in the assembly. */
function keyOf({ target, manifest }: OutputObject): string {
  return objectId(target, manifest);
}

function constructKey({ target, manifest: { apiVersion, kind }, construct }: OutputObject): string {
  return `${target} ${apiVersion} ${kind} ${construct}`;
}

/** Whether a file holds an object, or an engine gets it from `resolve`. */
export function isWritten({ file, manifest, isLate }: OutputObject): boolean {
  return file !== undefined || !(isLate ?? lateIdsIn(manifest).length > 0);
}

/** An engine has a state of its own for each cluster. */
function movesTarget(before: OutputObject, { change, namesakes, existed }: Sides): Finding | undefined {
  const to = namesakes.get(objectKey(before.manifest))?.find((object) => object.target !== before.target && !existed.has(keyOf(object)))?.target;
  if (!change.hasEngine || to === undefined) { return undefined; }
  const from = before.target;
  const isKept = isKeptByEngine(before.manifest) || !change.after.some(({ target }) => target === from);
  return finding(OUTPUT_MOVES_TARGET, before, change, before.construct, (loss) => ({
    path: '',
    message: `moves from target ${from} to ${to}: ${isKept ? `the engine does not delete it on ${from}, so both clusters have it`
      : `the engine deletes it on ${from}${loss}, and creates another one on ${to}, in no certain order`}`,
    fix: `make two commits: first remove it from ${from}, and wait until it is gone there${isKept ? ' (delete it by hand)' : ''}; then declare it on ${to}; `
      + acceptance(before, change),
  }), FindingLevel.ERROR);
}

/** What the engine does with an object that is in no file. */
function fateOf({ manifest, kept, blocks }: OutputObject, loss: string): string {
  if (blocks !== undefined) { return `the server refuses to delete it (${blocks}), and the engine stops there: what is delivered together with it does not arrive`; }
  if (!isKeptByEngine(manifest)) { return `an engine that prunes deletes it${loss}`; }
  return `the engine keeps it on the cluster${kept ? ` (${kept.reason})` : ''}, and no longer delivers it`;
}

function nowWaits(before: OutputObject, now: OutputObject, change: OutputChange): Finding {
  if (before.isResolved) { return lateMissing(before, now, change); }
  const values = lateIdsIn(now.manifest).map((id) => change.lateValue(id));
  const { needs = [] } = now;
  const needed = needs.length > 0 ? `it needs ${needs.join(', ')}, which waits for a late value` : 'an object that it needs waits for a late value';
  const why = values.length > 0 ? `it waits for ${values.map((value) => value?.description ?? 'a late value').join(', ')}` : needed;
  return finding(OUTPUT_NOW_WAITS, before, change, now.construct, (loss) => ({
    path: '',
    message: `was in ${before.file} and is in no file now, as ${why}: ${fateOf(before, loss)}`,
    fix: values.map((value) => lateFix(value, before.manifest)).find((text) => text !== undefined)
      ?? `resolve the late value and synthesize with it (cdk8s-harvester resolve); ${acceptance(before, change)}`,
  }));
}

/** It waits as before: nothing but its file is gone. */
function lateMissing(before: OutputObject, now: OutputObject, change: OutputChange): Finding {
  return finding(OUTPUT_LATE_MISSING, before, change, now.construct, (loss) => ({
    path: '',
    message: `was in ${before.file}, which resolve wrote, and the file is gone: ${fateOf(before, loss)}`,
    fix: `restore the file, or run cdk8s-harvester resolve <output folder> --write-manifests <output folder>; ${acceptance(before, change)}`,
  }), isKeptByEngine(before.manifest) ? FindingLevel.WARNING : FindingLevel.ERROR);
}

function lateFix(value: AwaitedValue | undefined, before: Manifest): string | undefined {
  const { apiVersion = '', kind = '', name } = value?.source ?? {};
  return name === undefined ? undefined : kindOf({ apiVersion, kind })?.lateFix?.(name, before);
}

function gone(before: OutputObject, renamed: OutputObject | undefined, { change, namesakes }: Sides): Finding {
  const elsewhere = namesakes.get(objectKey(before.manifest))?.find(({ target }) => target !== before.target);
  const instead = renamed ? `; its construct writes ${objectLabel(renamed.manifest)} now, which is another object`
    : elsewhere ? `; ${elsewhere.target} has one of that name, which is another object` : '';
  return finding(OUTPUT_GONE, before, change, before.construct, (loss) => ({
    path: '',
    message: `was in ${before.file} and is no longer declared: ${fateOf(before, loss)}${instead}`,
    fix: `declare it again${renamed ? ` under its name, ${before.manifest.metadata.name}` : ''}; ${acceptance(before, change)}`,
  }));
}

function acceptance(before: OutputObject, { hasProgram }: OutputChange): string {
  return hasProgram
    ? `to let it go, add app.acceptRemoval('${keyOf(before)}', '<why>')`
    : 'to let it go, accept the finding in a baseline (lint --baseline)';
}

function finding(
  { id, source }: Rule, before: OutputObject, { removals }: OutputChange, construct: string | undefined, problemOf: (loss: string) => Problem,
  level?: FindingLevel,
): Finding {
  const holding = lossOf(before);
  const { message, path, fix } = problemOf(holding ? `, with ${holding.what}` : '');
  const accepted = acceptedRemoval(removals, keyOf(before));
  return {
    rule: id,
    level: level ?? (holding ? FindingLevel.ERROR : FindingLevel.WARNING),
    message: `${objectLabel(before.manifest)} ${message}`,
    object: objectOf(before.manifest),
    target: before.target,
    path,
    fix,
    source,
    ...(construct === undefined ? {} : { construct }),
    ...(accepted ? { suppressed: accepted.reason } : {}),
  };
}

/** The loss when an object is deleted; undefined for one that is kept, or holds nothing. */
function lossOf({ manifest, policy = 'delete' }: OutputObject): Pick<Holding, 'holds' | 'what'> | undefined {
  return policy === 'delete' && retainedByDefault(manifest) === undefined ? holdingOf(manifest) : undefined;
}

/** The accepted removal of an object, by its ID. */
export function acceptedRemoval(removals: readonly AssemblyRemoval[], id: string): AssemblyRemoval | undefined {
  return removals.find(({ objects }) => matches(objects, id));
}

/** Whether a removal names the ID of an object; `*` matches any text. */
function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map(escapeRegExp);
  return new RegExp(`^${parts.join('.*')}$`).test(id);
}
