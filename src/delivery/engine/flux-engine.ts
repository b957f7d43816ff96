import { Duration } from 'cdk8s';
import { DeliveryEngine, EngineProgram, homeOf, repositoryPath } from './engine';
import { KindFields } from '../../core/kind/description/fields';
import { KindReadiness } from '../../core/kind/description/readiness';
import { kindOf } from '../../core/kind/kinds';
import { HealthExpression } from '../../core/kind/ready/health';
import { Manifest, groupOf, pointerOf } from '../../core/manifest/manifest';
import { toYaml } from '../../core/yaml/yaml-writer';
import { KindHealth, healthOf } from '../stage/stage-health';
import { shortened } from '../stage/stage-names';
import { Stage } from '../stage/stages';

/** What happens to the objects of a Kustomization that is deleted. */
export enum FluxDeletionPolicy {
  /** All objects are kept. */
  ORPHAN = 'Orphan',
  /** Objects are deleted, except those that are kept. */
  DELETE = 'Delete',
  /** As DELETE; the Kustomization is gone once they are. */
  WAIT_FOR_TERMINATION = 'WaitForTermination',
  /** Objects are deleted where pruning is enabled. */
  MIRROR_PRUNE = 'MirrorPrune',
}

/**
 * Kind of the object from which Flux gets files.
 * @see fluxcd/kustomize-controller:api/v1/reference_types.go CrossNamespaceSourceReference
 */
export enum FluxSourceKind {
  /** A Git repository. */
  GIT_REPOSITORY = 'GitRepository',
  /** An artifact in a container registry. */
  OCI_REPOSITORY = 'OCIRepository',
  /** A bucket of an object storage. */
  BUCKET = 'Bucket',
  /** An artifact of another controller. */
  EXTERNAL_ARTIFACT = 'ExternalArtifact',
}

/** Properties of a delivery by Flux. */
export interface FluxDeliveryProps {
  /**
   * Name of the source that contains the output: an object of Flux in the namespace of the
   * Kustomizations, which has the URL and the branch.
   */
  readonly sourceName: string;
  /** Kind of the source. @default FluxSourceKind.GIT_REPOSITORY */
  readonly sourceKind?: FluxSourceKind;
  /** The output folder, as a path in the source. @default dist */
  readonly path?: string;
  /** Namespace of the Kustomizations, and of the Secrets with kubeconfigs. @default flux-system */
  readonly namespace?: string;
  /**
   * Prefix of the names of the Kustomizations, for several programs in one namespace.
   * @default - no prefix: the names of the stages, e.g. `rancher-clusters`
   */
  readonly namePrefix?: string;
  /**
   * The name of the target that Flux runs in, which it reaches without a kubeconfig. A name that
   * the program lacks is an error.
   * @default - the Rancher of the program; with several, each needs a kubeconfig
   */
  readonly runsIn?: string;
  /**
   * Names of the Secrets with the kubeconfigs of other targets, by the name of the target.
   * @default - `<target>-kubeconfig`
   */
  readonly kubeconfigSecrets?: { readonly [target: string]: string };
  /** How often Flux compares the clusters with the source. @default Duration.minutes(10) */
  readonly interval?: Duration;
  /** How soon a failed Kustomization is tried again. @default Duration.seconds(10) */
  readonly retryInterval?: Duration;
  /**
   * How long Flux waits until a stage is healthy. Stages with images, machines or add-ons that
   * others wait for have a longer one.
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;
  /**
   * Whether Flux deletes objects that are removed from the output. Machines, data, Namespaces,
   * Clusters, Settings and retained objects are always kept.
   * @default true
   */
  readonly prune?: boolean;
  /**
   * What happens to the objects if a Kustomization is deleted, as that of a stage whose last object
   * is removed from the output. With ORPHAN, these remain, also members and permissions.
   * @default FluxDeletionPolicy.MIRROR_PRUNE
   */
  readonly deletionPolicy?: FluxDeletionPolicy;
}

const DEFAULTS = {
  namespace: 'flux-system',
  interval: 600,
  retryInterval: 10,
  timeout: 300,
} as const;

/**
 * Delivery by Flux: a Kustomization for each stage. Never with `force`, which would recreate what a
 * server refuses to change.
 */
export class FluxEngine implements DeliveryEngine {
  public readonly folder = 'flux';
  // a Kustomization whose folder does not exist yet is not Ready, and deletes nothing
  public readonly waitsForLate = true;
  public readonly keeper = 'flux';

  constructor(private readonly props: FluxDeliveryProps) {}

  /** A file for each target. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { stages } = program;
    const { targets } = program.assembly;
    const home = homeOf(program.assembly, this.props.runsIn);
    return new Map(
      targets.flatMap(({ name }) => {
        const own = stages.filter(({ target }) => target === name);
        if (own.length === 0) {
          return [];
        }
        return [
          [
            `flux/${name}.yaml`,
            own.map((stage) => toYaml(this.kustomization(stage, program, home))).join('---\n'),
          ] as const,
        ];
      }),
    );
  };

  private kustomization(
    stage: Stage,
    { objectsOf, hiding, manifests }: EngineProgram,
    home: string | undefined,
  ): Manifest {
    const { props } = this;
    const objects = objectsOf(stage);
    const health = healthOf(objects, ({ id }) => stage.awaited.has(id));
    const { target } = stage;
    const ignored = objects.flatMap(({ id }) => ignoreRuleOf(manifests.get(id)!));
    const decryption = objects.flatMap(({ id }) => hiding?.decryption.get(id) ?? [])[0];
    return {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: this.nameOf(stage.name), namespace: props.namespace ?? DEFAULTS.namespace },
      spec: {
        ...(stage.after.length > 0
          ? { dependsOn: stage.after.map(({ name }) => ({ name: this.nameOf(name) })) }
          : {}),
        interval: duration(props.interval?.toSeconds() ?? DEFAULTS.interval),
        retryInterval: duration(props.retryInterval?.toSeconds() ?? DEFAULTS.retryInterval),
        timeout: duration(
          Math.max(props.timeout?.toSeconds() ?? DEFAULTS.timeout, slowest(stage, health)),
        ),
        path: `./${repositoryPath(props.path, stage.folder)}`,
        prune: props.prune ?? true,
        deletionPolicy: props.deletionPolicy ?? FluxDeletionPolicy.MIRROR_PRUNE,
        wait: true,
        sourceRef: {
          kind: props.sourceKind ?? FluxSourceKind.GIT_REPOSITORY,
          name: props.sourceName,
        },
        ...(decryption ? { decryption } : {}),
        ...(target === home
          ? {}
          : {
              kubeConfig: {
                secretRef: { name: props.kubeconfigSecrets?.[target] ?? `${target}-kubeconfig` },
              },
            }),
        ...(health.length > 0 ? { healthCheckExprs: health.map(expressionsOf) } : {}),
        ...(ignored.length > 0 ? { ignore: ignored } : {}),
      },
    };
  }

  private nameOf(stage: string): string {
    return shortened(`${this.props.namePrefix ?? ''}${stage}`, MAX_LABEL);
  }
}

/**
 * The fields of an object that are written at creation only. Flux keeps their live values, also
 * where it writes the object for another change.
 * @see fluxcd/kustomize-controller:docs/spec/v1/kustomizations.md "Ignore Rules", from 1.9.0 (Flux 2.9) on
 */
function ignoreRuleOf(manifest: Manifest): object[] {
  const fields = kindOf<KindFields>(manifest)?.writtenOnce?.(manifest) ?? [];
  if (fields.length === 0) {
    return [];
  }
  const { kind, apiVersion, metadata } = manifest;
  const { namespace, name } = metadata;
  const exactly = (text: string): string => `^${text.replaceAll('.', '\\.')}$`;
  return [
    {
      paths: fields.map(({ path }) => pointerOf(path)),
      target: {
        group: exactly(groupOf(apiVersion)),
        kind,
        name: exactly(name),
        ...(namespace === undefined ? {} : { namespace: exactly(namespace) }),
      },
    },
  ];
}

/** Flux writes the name of the Kustomization into a label of each object. */
const MAX_LABEL = 63;

function expressionsOf({ apiVersion, kind, healthy, failed }: KindHealth): {
  readonly [field: string]: string;
} {
  return {
    apiVersion,
    kind,
    current: printCel(healthy),
    ...(failed ? { failed: printCel(failed) } : {}),
  };
}

/** Seconds until the slowest object that others wait for is healthy at last. */
function slowest({ awaited }: Stage, health: readonly KindHealth[]): number {
  if (awaited.size === 0) {
    return 0;
  }
  return Math.max(
    0,
    ...health.map((kind) => {
      const { health: rule, ready } = kindOf<KindReadiness>(kind) ?? {};
      return rule?.slow ? (ready?.timeoutMs ?? 0) / 1000 : 0;
    }),
  );
}

/** A duration as Flux writes it, e.g. `10m0s` for 600 seconds. */
function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes > 0 ? `${minutes}m` : ''}${seconds % 60}s`;
}

/**
 * Prints a health expression in the Common Expression Language, as Flux evaluates it for
 * `healthCheckExprs`.
 *
 * An expression that names `status` fails where the object has none, which Flux treats as in
 * progress. The left part of `||` decides nevertheless.
 *
 * @see fluxcd/pkg:runtime/cel/status_evaluator.go
 */
export function printCel(expression: HealthExpression): string {
  return print(expression, false);
}

// `within`: whether it is part of another expression, where || and && need parentheses
function print(expression: HealthExpression, within: boolean): string {
  if ('always' in expression) {
    return 'true';
  }
  if ('text' in expression) {
    return joined([`has(${expression.text})`, `${expression.text} != ''`], '&&', within);
  }
  if ('field' in expression) {
    return joined(
      [`has(${expression.field})`, `${expression.field} == ${literal(expression.is)}`],
      '&&',
      within,
    );
  }
  if ('condition' in expression) {
    const { condition, is } = expression;
    const says =
      is === 'without message'
        ? "(!has(c.message) || c.message == '')"
        : `c.status == ${literal(is)}`;
    return joined(
      [
        'has(status.conditions)',
        `status.conditions.exists(c, c.type == ${literal(condition)} && ${says})`,
      ],
      '&&',
      within,
    );
  }
  if ('named' in expression) {
    return `metadata.name in [${expression.named.map(literal).join(', ')}]`;
  }
  if ('not' in expression) {
    return `!(${print(expression.not, false)})`;
  }
  return 'all' in expression
    ? joined(
        expression.all.map((each) => print(each, true)),
        '&&',
        within,
      )
    : joined(
        expression.any.map((each) => print(each, true)),
        '||',
        within,
      );
}

function joined(parts: readonly string[], operator: '&&' | '||', within: boolean): string {
  const text = parts.join(` ${operator} `);
  return within && parts.length > 1 ? `(${text})` : text;
}

function literal(value: string | boolean): string {
  return typeof value === 'boolean' ? String(value) : `'${value}'`;
}
