import { FluxDeletionPolicy, FluxDeliveryProps } from './flux-props';
import { kindOf } from '../../core/kind/all-kinds';
import { withFluxPrune } from '../../core/kind/retention';
import { Manifest } from '../../core/manifest/manifest';
import { toYaml } from '../../core/yaml/yaml-writer';
import { printCel } from '../health/print-cel';
import { KindHealth, healthOf } from '../health/stage-health';
import { DeliveryEngine, EngineObject, EngineProgram, homeOf, repositoryPath } from '../output/engine';
import { Stage } from '../stage/stages';

const DEFAULTS = { namespace: 'flux-system', interval: 600, retryInterval: 10, timeout: 300 } as const;

/** Delivery by Flux: a Kustomization for each stage. Never with `force`, which would recreate what a server refuses to change. */
export class FluxEngine implements DeliveryEngine {
  constructor(private readonly props: FluxDeliveryProps) {}

  /** Keeps an object that must not be pruned. */
  public readonly prepare = (manifest: Manifest, { isKept }: EngineObject): Manifest => (isKept ? withFluxPrune(manifest) : manifest);

  /** A file for each target. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { assembly: { targets }, stages } = program;
    const home = homeOf(program.assembly, this.props.runsIn?.targetName);
    return new Map(targets.flatMap(({ name }) => {
      const own = stages.filter(({ target }) => target === name);
      return own.length === 0 ? [] : [[`flux/${name}.yaml`, own.map((stage) => toYaml(this.kustomization(stage, program, home))).join('---\n')] as const];
    }));
  };

  private kustomization(stage: Stage, { objectsOf, hiding }: EngineProgram, home: string | undefined): Manifest {
    const { props } = this;
    const objects = objectsOf(stage);
    const health = healthOf(objects, ({ id }) => stage.awaited.has(id));
    const { target } = stage;
    const decryption = objects.flatMap(({ id }) => hiding?.decryption.get(id) ?? [])[0];
    return {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: this.nameOf(stage.name), namespace: props.namespace ?? DEFAULTS.namespace },
      spec: {
        ...(stage.after.length > 0 ? { dependsOn: stage.after.map((name) => ({ name: this.nameOf(name) })) } : {}),
        interval: duration(props.interval?.toSeconds() ?? DEFAULTS.interval),
        retryInterval: duration(props.retryInterval?.toSeconds() ?? DEFAULTS.retryInterval),
        timeout: duration(Math.max(props.timeout?.toSeconds() ?? DEFAULTS.timeout, slowest(stage, health))),
        path: `./${repositoryPath(props.path, stage.name)}`,
        prune: props.prune ?? true,
        deletionPolicy: props.deletionPolicy ?? FluxDeletionPolicy.ORPHAN,
        wait: true,
        sourceRef: { kind: props.repositoryKind ?? 'GitRepository', name: props.repository },
        ...(decryption ? { decryption } : {}),
        ...(target === home ? {} : { kubeConfig: { secretRef: { name: props.kubeconfigSecrets?.[target] ?? `${target}-kubeconfig` } } }),
        ...(health.length > 0 ? { healthCheckExprs: health.map(expressionsOf) } : {}),
      },
    };
  }

  private nameOf(stage: string): string {
    return `${this.props.namePrefix ?? ''}${stage}`;
  }
}

function expressionsOf({ apiVersion, kind, healthy, failed }: KindHealth): { readonly [field: string]: string } {
  return { apiVersion, kind, current: printCel(healthy), ...(failed ? { failed: printCel(failed) } : {}) };
}

/** Seconds until the slowest object that others wait for is healthy at last. */
function slowest({ awaited }: Stage, health: readonly KindHealth[]): number {
  if (awaited.size === 0) { return 0; }
  return Math.max(0, ...health.map((kind) => {
    const { health: rule, ready } = kindOf(kind) ?? {};
    return rule?.slow ? (ready?.timeoutMs ?? 0) / 1000 : 0;
  }));
}

/** A duration as Flux writes it, e.g. `10m0s` for 600 seconds. */
function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes > 0 ? `${minutes}m` : ''}${seconds % 60}s`;
}
