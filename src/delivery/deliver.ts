import { DeliveryEngine } from './engine/engine';
import { deliveryFinding } from './secret/left-secrets';
import { Stage, stagesOf } from './stage/stages';
import { inverted } from '../core/graph/reach';
import { inApplyOrder } from '../core/kind/apply-order';
import { KindDelivery, Unsettled } from '../core/kind/description/delivery';
import { KindFields } from '../core/kind/description/fields';
import { kindOf } from '../core/kind/kinds';
import { annotated, asRetained } from '../core/kind/retention';
import { Manifest, objectLabel, pathText } from '../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyStage, FileNames } from '../core/output/assembly';
import { DeliveredOutput, PlainOutput } from '../core/program/delivery-step';
import { Finding } from '../core/rule/finding';
import { predictableFindings } from '../core/rule/predictable';
import {
  REFERENCE_WAITS,
  DELIVERY_SECRETS,
  DELIVERY_LEFT,
  DELIVERY_PREDICTABLE,
} from '../core/rule/program-rules';
import { fieldPathText, isSecretObject, secretFields } from '../core/secret/secret-fields';
import { grouped } from '../core/text/values';
import { toYaml } from '../core/yaml/yaml-writer';
import { Becomes, keptByEngines } from '../engine/removal/removal';

/**
 * The output of a program for an engine: objects by stage, each with what protects it, and the
 * files of the engine itself.
 */
export function deliverPlain(output: PlainOutput, engine: DeliveryEngine): DeliveredOutput {
  return new Deliverer(output, engine).deliver();
}

class Deliverer {
  private readonly stages: readonly Stage[];
  private readonly stageOf: ReadonlyMap<string, Stage>;
  private readonly byId: ReadonlyMap<string, AssemblyObject>;
  private readonly left: ReadonlyMap<string, LeftObject>;
  private readonly kept: ReadonlyMap<string, Becomes>;

  constructor(
    private readonly output: PlainOutput,
    private readonly engine: DeliveryEngine,
  ) {
    const { assembly } = output;
    this.left = leftToApply(output, engine);
    const onlyApplied = assembly.objects
      .filter(({ onlyApply }) => onlyApply !== undefined)
      .map(({ id }) => id);
    this.stages = stagesOf(output, new Set([...this.left.keys(), ...onlyApplied]));
    this.stageOf = new Map(
      this.stages.flatMap((stage) => stage.objects.map((id) => [id, stage] as const)),
    );
    this.byId = new Map(assembly.objects.map((object) => [object.id, object]));
    this.kept = keptByEngines(assembly, output.manifests);
  }

  public deliver(): DeliveredOutput {
    const { assembly } = this.output;
    const manifests = new Map(assembly.objects.map((object) => [object.id, this.prepared(object)]));
    const names = new Map(this.fileNames(manifests));
    const documents = grouped(names.keys(), (id) => names.get(id)!);
    const objects = assembly.objects.map((object) =>
      this.entry(object, manifests.get(object.id)!, names.get(object.id)),
    );
    const { hiding } = this.output;
    const own = this.engine.files({
      assembly,
      manifests,
      hiding,
      stages: this.stages,
      objectsOf: (stage: Stage) => this.objectsOf(stage),
      fileOf: (id) => names.get(id),
    });
    this.refuseFolder();
    const files = new Map([
      ...[...documents].map(
        ([name, ids]) => [name, ids.map((id) => toYaml(manifests.get(id)!)).join('---\n')] as const,
      ),
      ...own,
    ]);
    const { findings, ...others } = assembly;
    const delivered: Assembly = {
      ...others,
      objects,
      stages: this.stages.map(({ folder, target, after, isLate }): AssemblyStage => ({
        folder,
        target,
        after: after.map((other) => other.folder),
        ...(isLate ? { late: true } : {}),
      })),
      ...(own.size > 0 ? { engineFiles: [...own.keys()].sort().map((file) => ({ file })) } : {}),
      findings: [
        ...findings.filter(
          ({ rule }) => !(this.engine.waitsForLate && rule === REFERENCE_WAITS.id),
        ),
        ...[...this.left.values()].map(({ finding }) => finding),
        ...refusedSecrets(this.output, this.engine, new Set(this.stageOf.keys())),
        // synthesis reports them, and knows which ones the program suppresses
        ...(findings.some(({ rule }) => rule === DELIVERY_PREDICTABLE.id)
          ? []
          : predictableFindings(this.delivered())),
      ],
    };
    return { assembly: delivered, files };
  }

  /** Throws if a target has the name of the folder that the engine's own files are in. */
  private refuseFolder(): void {
    const { folder } = this.engine;
    if (this.stages.some(({ target }) => target === folder)) {
      throw new Error(
        `target ${folder}: must not have the name of the folder for the engine. Fix: rename the target`,
      );
    }
  }

  private delivered(): {
    readonly manifest: Manifest;
    readonly target: string;
    readonly construct: string;
  }[] {
    const { manifests } = this.output;
    const { objects } = this.output.assembly;
    return objects.map(({ id, target, construct }) => ({
      target,
      construct,
      manifest: manifests.get(id)!,
    }));
  }

  private objectsOf(stage: Stage): AssemblyObject[] {
    return stage.objects.map((id) => this.byId.get(id)!);
  }

  private prepared(object: AssemblyObject): Manifest {
    const manifest = this.output.manifests.get(object.id)!;
    const stage = this.stageOf.get(object.id);
    if (stage === undefined) {
      return manifest;
    }
    const { keeper, annotations } = this.engine;
    const stored = kindOf<KindDelivery>(manifest)?.asStored?.(manifest) ?? manifest;
    const kept = this.kept.has(object.id) ? asRetained(stored, keeper) : stored;
    return annotations ? annotated(kept, annotations(stage)) : kept;
  }

  /**
   * The file of each object that waits for nothing, in the order in which a plain apply goes
   * through.
   */
  private *fileNames(
    manifests: ReadonlyMap<string, Manifest>,
  ): Iterable<readonly [id: string, name: string]> {
    const { layout, hiding } = this.output;
    const { edges } = this.output.assembly;
    const after = inverted(edges.map(({ from, to }) => [to, from] as const));
    const names = new FileNames(layout);
    for (const stage of this.stages.filter(({ isLate }) => !isLate)) {
      const placed = (id: string): { id: string; target: string; manifest: Manifest } => ({
        id,
        target: stage.folder,
        manifest: manifests.get(id)!,
      });
      for (const { item: id, level } of inApplyOrder(
        stage.objects,
        placed,
        (id_) => after.get(id_) ?? [],
      )) {
        yield [id, names.of(stage.folder, manifests.get(id)!, level, hiding?.ownFiles.get(id))];
      }
    }
  }

  private entry(
    { file: _, template: __, ...plain }: AssemblyObject,
    manifest: Manifest,
    file: string | undefined,
  ): AssemblyObject {
    const left = this.left.get(plain.id);
    if (left || plain.onlyApply !== undefined) {
      return { ...plain, template: manifest, onlyApply: left?.reason ?? plain.onlyApply };
    }
    const { reason, neededBy } = this.kept.get(plain.id) ?? {};
    const object =
      reason === undefined
        ? plain
        : { ...plain, kept: { reason, ...(neededBy === undefined ? {} : { neededBy }) } };
    return file === undefined
      ? { ...object, template: manifest, stage: this.stageOf.get(object.id)!.folder }
      : { ...object, file };
  }
}

/**
 * The objects whose secrets an engine must not get as they are.
 *
 * @param delivered the IDs of the objects that the engine delivers
 */
function refusedSecrets(
  output: PlainOutput,
  { refuses = {} }: DeliveryEngine,
  delivered: ReadonlySet<string>,
): Finding[] {
  const { assembly, manifests, secretPlaces, hiding, acceptsPlain } = output;
  if (!refuses.plain && !refuses.encrypted) {
    return [];
  }
  const refusalOf = (id: string): typeof refuses.plain => {
    if (hiding?.decryption.has(id)) {
      return refuses.encrypted;
    }
    return acceptsPlain?.(id) ? undefined : refuses.plain;
  };
  return assembly.objects
    .filter(({ id }) => delivered.has(id))
    .flatMap((object): Finding[] => {
      const { id } = object;
      const refusal = refusalOf(id);
      if (!refusal) {
        return [];
      }
      const manifest = manifests.get(id)!;
      const [field] = secretFields(manifest, secretPlaces?.get(id) ?? new Set());
      if (field === undefined) {
        return [];
      }
      const { message, fix, fixOfOthers = fix } = refusal;
      return [
        deliveryFinding(DELIVERY_SECRETS, object, manifest, fieldPathText(field), {
          message: `${objectLabel(manifest)} ${message}`,
          fix: isSecretObject(manifest) ? fix : fixOfOthers,
        }),
      ];
    });
}

/** An object that no engine delivers, since it would never come to rest. */
interface LeftObject {
  readonly reason: string;
  readonly finding: Finding;
}

/** Why an engine would write fields again that belong to another program. */
function rewritten(manifest: Manifest, { rewrites }: DeliveryEngine): Unsettled | undefined {
  const [field] = kindOf<KindFields>(manifest)?.writtenOnce?.(manifest) ?? [];
  if (field === undefined || rewrites === undefined) {
    return undefined;
  }
  return {
    path: pathText(field.path),
    reason: `has ${field.what}, which ${field.owner} sets, and the engine ${rewrites}`,
    fix: 'write it with apply, or deliver with Flux',
  };
}

/** The objects that only apply writes, by ID. */
function leftToApply(
  { assembly, manifests }: PlainOutput,
  engine: DeliveryEngine,
): ReadonlyMap<string, LeftObject> {
  const left = new Map<string, LeftObject>();
  for (const object of assembly.objects.filter(({ onlyApply }) => onlyApply === undefined)) {
    const manifest = manifests.get(object.id)!;
    const unsettled =
      kindOf<KindDelivery>(manifest)?.unsettled?.(manifest) ?? rewritten(manifest, engine);
    if (unsettled !== undefined) {
      const { reason, path, fix } = unsettled;
      const message = `${objectLabel(manifest)} ${reason}, so it is left out of the files for the engine`;
      const finding = deliveryFinding(DELIVERY_LEFT, object, manifest, path, { message, fix });
      left.set(object.id, { reason, finding });
    } else if (engine.leavesLate !== undefined && object.template !== undefined) {
      const { reason, fix } = engine.leavesLate;
      const message = `${objectLabel(manifest)} ${reason}, so it is in no file`;
      const finding = deliveryFinding(DELIVERY_LEFT, object, manifest, '', { message, fix });
      left.set(object.id, { reason, finding });
    }
  }
  return left;
}
