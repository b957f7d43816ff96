import { ArgoCdDecryption } from './argo-cd-decryption';
import {
  DeliveryEngine,
  EngineProgram,
  LeftReason,
  homeOf,
  refusalOfEncrypted,
  repositoryPath,
} from './engine';
import { HealthExpression, HealthRule } from '../../core/kind/ready/health';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { toYaml } from '../../core/yaml/yaml-writer';
import { healthOfProducts } from '../stage/stage-health';
import { Stage } from '../stage/stages';

/** Properties of a delivery by Argo CD. */
export interface ArgoCdDeliveryProps {
  /** URL of the Git repository that contains the output. */
  readonly repository: string;
  /** Branch, tag or commit. @default HEAD */
  readonly revision?: string;
  /** The output folder, as a path in the repository. @default dist */
  readonly path?: string;
  /** Namespace of the Applications. @default argocd */
  readonly namespace?: string;
  /** The project (AppProject) of the Applications. @default default */
  readonly project?: string;
  /**
   * Prefix of the names of the Applications, for several programs in one namespace.
   * @default - no prefix: the names of the targets
   */
  readonly namePrefix?: string;
  /**
   * The name of the target that Argo CD runs in, which it reaches without credentials. A name that
   * the program lacks is an error.
   * @default - the Rancher of the program; with several, all are reached by name
   */
  readonly runsIn?: string;
  /**
   * Names by which Argo CD knows the clusters of other targets, by the name of the target.
   * @default - the names of the targets
   */
  readonly clusters?: { readonly [target: string]: string };
  /**
   * Whether Argo CD deletes objects that are removed from the output. Machines, data, Namespaces,
   * Clusters, Settings and retained objects are always kept; their Application is OutOfSync from
   * then on.
   * @default true
   */
  readonly prune?: boolean;
  /** Whether Argo CD reverts changes that others make on the clusters. @default true */
  readonly selfHeal?: boolean;
  /**
   * What decrypts the files of `SecretDelivery.sops`, which is installed with Argo CD.
   * @default - nothing: objects that SOPS encrypts are an error
   */
  readonly decryption?: ArgoCdDecryption;
}

const NAMESPACE = 'argocd';

/**
 * Annotation on an object: Argo CD applies the next number once all objects of the one before are
 * healthy.
 * @see argoproj/argo-cd:docs/user-guide/sync-waves.md
 */
const WAVE = 'argocd.argoproj.io/sync-wave';

/** The cluster that Argo CD runs in. */
const IN_CLUSTER = 'https://kubernetes.default.svc';

/**
 * The controllers of the products need seconds; a guest cluster, or what people do, takes longer. A
 * new commit ends the retries.
 */
const RETRY = {
  limit: 30,
  refresh: true,
  backoff: { duration: '5s', factor: 2, maxDuration: '2m' },
} as const;

/** Without a tool that decrypts. */
const ENCRYPTED: DeliveryEngine['refuses'] = {
  encrypted: refusalOfEncrypted('Argo CD', [
    'set decryption of Delivery.argoCd if a plugin or KSOPS is installed with Argo CD',
  ]),
};

/** With KSOPS, a file must be in the list of its folder. */
const UNLISTED: LeftReason = {
  reason:
    'waits for a late value, and kustomization.yaml for KSOPS lists the files that synthesis writes',
  fix: 'run apply for it, avoid the late value, or set ArgoCdDecryption.plugin',
};

/**
 * Delivery by Argo CD: an Application for each target, whose stages are waves, and the health of
 * kinds that waves wait for.
 */
export class ArgoCdEngine implements DeliveryEngine {
  public readonly folder = 'argo-cd';
  public readonly refuses: DeliveryEngine['refuses'];
  public readonly leavesLate: DeliveryEngine['leavesLate'];
  public readonly keeper = 'argo';
  // it can ignore a field of an item of a list in a custom resource, but then takes the whole list
  // from the live object, and edits of it never arrive
  // @see argoproj/argo-cd:controller/sync.go normalizeTargetResources, argoproj/argo-cd#17694
  public readonly rewrites = 'writes the number of the file at each sync';

  constructor(private readonly props: ArgoCdDeliveryProps) {
    const { decryption } = props;
    this.refuses = decryption ? undefined : ENCRYPTED;
    this.leavesLate = decryption?._listsFiles ? UNLISTED : undefined;
  }

  public readonly annotations = ({ wave }: Stage): { readonly [name: string]: string } => ({
    [WAVE]: String(wave),
  });
  /** A file for each target, and one with health checks. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { assembly, stages } = program;
    const home = homeOf(assembly, this.props.runsIn);
    const targets = assembly.targets.filter(({ name }) =>
      stages.some(({ target }) => target === name),
    );
    return new Map([
      ...targets.flatMap((target) => this.filesOf(target, home, program)),
      ...(targets.length > 0
        ? [[`${this.folder}/argocd-cm.yaml`, toYaml(this.health(program))] as const]
        : []),
    ]);
  };

  /** The Application of a target, and what it needs next to the objects. */
  private filesOf(
    target: AssemblyTarget,
    home: string | undefined,
    program: EngineProgram,
  ): (readonly [file: string, text: string])[] {
    const { name } = target;
    const { source, files } = this.props.decryption?._sourceOf(name, program) ?? {
      source: { directory: { recurse: true } },
      files: [],
    };
    return [
      [`${this.folder}/${name}.yaml`, toYaml(this.application(target, home, source))],
      ...files,
    ];
  }

  private application(
    { name }: AssemblyTarget,
    home: string | undefined,
    source: object,
  ): Manifest {
    const { props } = this;
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        name: `${props.namePrefix ?? ''}${name}`,
        namespace: props.namespace ?? NAMESPACE,
      },
      spec: {
        project: props.project ?? 'default',
        source: {
          repoURL: props.repository,
          targetRevision: props.revision ?? 'HEAD',
          // the folders of all stages, also of those that come later
          path: repositoryPath(props.path, name),
          ...source,
        },
        destination:
          name === home ? { server: IN_CLUSTER } : { name: props.clusters?.[name] ?? name },
        syncPolicy: {
          automated: { prune: props.prune ?? true, selfHeal: props.selfHeal ?? true },
          syncOptions: ['ServerSideApply=true', 'PruneLast=true'],
          retry: RETRY,
        },
      },
    };
  }

  /**
   * Health checks for the ConfigMap of Argo CD, also for kinds that later commits add. Kinds of
   * Kubernetes itself keep those of Argo CD, which other Applications rely on.
   */
  private health({ stages, objectsOf }: EngineProgram): Manifest {
    const awaited = new Set(stages.flatMap((stage) => [...stage.awaited]));
    const kinds = healthOfProducts(stages.flatMap(objectsOf), ({ id }) => awaited.has(id)).filter(
      ({ apiVersion }) => groupOf(apiVersion) !== '',
    );
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'argocd-cm',
        namespace: this.props.namespace ?? NAMESPACE,
        labels: { 'app.kubernetes.io/part-of': 'argocd' },
      },
      data: Object.fromEntries(
        kinds.map((kind) => [
          `resource.customizations.health.${groupOf(kind.apiVersion)}_${kind.kind}`,
          printLua(kind),
        ]),
      ),
    };
  }
}

/**
 * Prints the health of a kind as the Lua script that Argo CD runs: `obj` is the live object.
 * @see argoproj/argo-cd:docs/operator-manual/health.md
 */
export function printLua({ healthy, failed }: HealthRule): string {
  const usesConditions = [healthy, ...(failed ? [failed] : [])].some(hasCondition);
  return [
    ...(usesConditions ? CONDITION_FUNCTION : []),
    ...(failed
      ? [`if ${print(failed)} then return { status = "Degraded", message = "failed" } end`]
      : []),
    `if ${print(healthy)} then return { status = "Healthy", message = "" } end`,
    'return { status = "Progressing", message = "is not ready for what depends on it" }',
    '',
  ].join('\n');
}

/** Whether one of the conditions of a type has a status, or no message. */
const CONDITION_FUNCTION: readonly string[] = [
  'local function condition(type, is)',
  '  for _, c in ipairs((obj.status or {}).conditions or {}) do',
  '    if c.type == type and (c.status == is or (is == "without message" and (c.message or "") == "")) then return true end',
  '  end',
  '  return false',
  'end',
];

function hasCondition(expression: HealthExpression): boolean {
  if ('all' in expression) {
    return expression.all.some(hasCondition);
  }
  if ('any' in expression) {
    return expression.any.some(hasCondition);
  }
  return 'condition' in expression;
}

function print(expression: HealthExpression): string {
  if ('always' in expression) {
    return 'true';
  }
  if ('text' in expression) {
    return `(${field(expression.text)} or "") ~= ""`;
  }
  if ('field' in expression) {
    return `${field(expression.field)} == ${literal(expression.is)}`;
  }
  if ('condition' in expression) {
    return `condition(${literal(expression.condition)}, ${literal(expression.is)})`;
  }
  if ('named' in expression) {
    return `(${expression.named.map((name) => `obj.metadata.name == ${literal(name)}`).join(' or ')})`;
  }
  if ('not' in expression) {
    return `not ${print(expression.not)}`;
  }
  return 'all' in expression
    ? `(${expression.all.map(print).join(' and ')})`
    : `(${expression.any.map(print).join(' or ')})`;
}

// Lua fails at a field of nothing
function field(path: string): string {
  const keys = path.split('.');
  return (
    keys.slice(0, -1).reduce((parent, key) => `(${parent}.${key} or {})`, 'obj') + `.${keys.at(-1)}`
  );
}

function literal(value: string | boolean): string {
  return typeof value === 'boolean' ? String(value) : `"${value}"`;
}
