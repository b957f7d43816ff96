import { ArgoCdDeliveryProps } from './argo-cd-props';
import { annotated, withArgoKeep } from '../../core/kind/retention';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { toYaml } from '../../core/yaml/yaml-writer';
import { printLua } from '../health/print-lua';
import { healthOf } from '../health/stage-health';
import { DeliveryEngine, EngineObject, EngineProgram, homeOf, refusalOfEncrypted, repositoryPath } from '../output/engine';

const NAMESPACE = 'argocd';

/** Annotation on an object: Argo CD applies the next number once all objects of the one before are healthy. @see argoproj/argo-cd:docs/user-guide/sync-waves.md */
const WAVE = 'argocd.argoproj.io/sync-wave';

/** The cluster that Argo CD runs in. */
const IN_CLUSTER = 'https://kubernetes.default.svc';

/** The controllers of the products need seconds; a guest cluster, or what people do, takes longer. A new commit ends the retries. */
const RETRY = { limit: 30, refresh: true, backoff: { duration: '5s', factor: 2, maxDuration: '2m' } } as const;

/** Delivery by Argo CD: an Application for each target, whose stages are waves, and the health of kinds that waves wait for. */
export class ArgoCdEngine implements DeliveryEngine {
  public readonly refuses: DeliveryEngine['refuses'] = {
    encrypted: refusalOfEncrypted('Argo CD'),
  };

  constructor(private readonly props: ArgoCdDeliveryProps) {}

  /** The wave of an object, and what keeps it. */
  public readonly prepare = (manifest: Manifest, { stage, isKept }: EngineObject): Manifest => {
    const kept = isKept ? withArgoKeep(manifest) : manifest;
    return annotated(kept, { [WAVE]: String(stage.number) });
  };

  /** A file for each target, and one with health checks where a wave waits for them. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { assembly, stages } = program;
    const home = homeOf(assembly, this.props.runsIn?.targetName);
    const targets = assembly.targets.filter(({ name }) => stages.some(({ target }) => target === name));
    const health = this.health(program);
    return new Map([
      ...targets.map((target) => [`argo-cd/${target.name}.yaml`, toYaml(this.application(target, program, home))] as const),
      ...(health ? [['argo-cd/argocd-cm.yaml', toYaml(health)] as const] : []),
    ]);
  };

  private application({ name }: AssemblyTarget, { stages }: EngineProgram, home: string | undefined): Manifest {
    const { props } = this;
    const own = stages.filter(({ target }) => target === name);
    const folders = own.map((stage) => `${stage.name}/*.yaml`);
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: `${props.namePrefix ?? ''}${name}`, namespace: props.namespace ?? NAMESPACE },
      spec: {
        project: props.project ?? 'default',
        source: {
          repoURL: props.repoUrl,
          targetRevision: props.targetRevision ?? 'HEAD',
          path: repositoryPath(props.path) || '.',
          directory: { recurse: true, include: folders.length === 1 ? folders[0] : `{${folders.join(',')}}` },
        },
        destination: name === home ? { server: IN_CLUSTER } : { name: props.clusters?.[name] ?? name },
        syncPolicy: {
          automated: { prune: props.prune ?? true, selfHeal: props.selfHeal ?? true },
          syncOptions: ['ServerSideApply=true', 'PruneLast=true'],
          retry: RETRY,
        },
      },
    };
  }

  /** Health checks for the ConfigMap of Argo CD. Kinds of Kubernetes itself keep those of Argo CD, which other Applications rely on. */
  private health({ stages, objectsOf }: EngineProgram): Manifest | undefined {
    const awaited = new Set(stages.flatMap((stage) => [...stage.awaited]));
    const kinds = healthOf(stages.flatMap(objectsOf), ({ id }) => awaited.has(id)).filter(({ apiVersion }) => groupOf(apiVersion) !== '');
    if (kinds.length === 0) { return undefined; }
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace: this.props.namespace ?? NAMESPACE, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data: Object.fromEntries(kinds.map((kind) => [`resource.customizations.health.${groupOf(kind.apiVersion)}_${kind.kind}`, printLua(kind)])),
    };
  }
}
