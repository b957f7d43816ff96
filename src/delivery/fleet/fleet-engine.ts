import { FleetDeliveryProps } from './fleet-props';
import { withHelmKeep } from '../../core/kind/retention';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { FLEET_DEFAULT, FLEET_LOCAL, GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { AssemblyTarget } from '../../core/output/assembly';
import { toYaml } from '../../core/yaml/yaml-writer';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../rancher/cluster/provisioning-cluster.kind';
import { DeliveryEngine, EngineObject, EngineProgram, refusalOfEncrypted, repositoryPath, rewrittenSettings } from '../output/engine';
import { Stage } from '../stage/stages';

/** Conditions that an import has until its agent is connected, which others need not wait for. */
const NOT_WAITED_FOR = ['Reconciling', 'Pending', 'Waiting'];

/** States of a bundle whose objects exist. */
const DELIVERED = ['Ready', 'NotReady', 'Modified'];

/** Delivery by Fleet: a bundle for each stage, and a GitRepo for each target. Never with `force`, which replaces objects. */
export class FleetEngine implements DeliveryEngine {
  public readonly refuses: DeliveryEngine['refuses'] = {
    plain: {
      message: 'contains a secret, which Fleet keeps in plain text in Bundles, Helm releases, and statuses',
      fix: 'let another tool create the Secret and refer to it by name, use a late value, or accept it with secrets: SecretDelivery.plainText()',
    },
    encrypted: refusalOfEncrypted('Fleet'),
  };

  constructor(private readonly props: FleetDeliveryProps) {}

  /** Keeps an object that must not be deleted. */
  public readonly prepare = (manifest: Manifest, { isKept }: EngineObject): Manifest => (isKept ? withHelmKeep(manifest) : manifest);

  /** A fleet.yaml for each stage, and the GitRepos. */
  public readonly files = (program: EngineProgram): ReadonlyMap<string, string> => {
    const { assembly: { targets }, stages } = program;
    const repos = targets.filter(({ name }) => stages.some(({ target }) => target === name)).map((target) => toYaml(this.gitRepo(target, program)));
    return new Map([
      ...stages.map((stage) => [`${stage.name}/fleet.yaml`, toYaml(this.bundle(stage, program))] as const),
      ...(repos.length > 0 ? [['fleet/gitrepo.yaml', repos.join('---\n')] as const] : []),
    ]);
  };

  private bundle(stage: Stage, { stages, objectsOf }: EngineProgram): object {
    // bundles of other clusters cannot be waited for, and one without objects does not exist
    const after = stages.filter(({ name, target, isLate }) => stage.after.includes(name) && target === stage.target && !isLate);
    const rewritten = rewrittenSettings(objectsOf(stage));
    return {
      name: this.nameOf(stage.name),
      defaultNamespace: this.props.releaseNamespace ?? 'cattle-fleet-system',
      helm: { takeOwnership: true },
      keepResources: true,
      ignore: { conditions: NOT_WAITED_FOR.map((type) => ({ type })) },
      ...(after.length > 0 ? { dependsOn: after.map(({ name }) => ({ name: this.nameOf(name), acceptedStates: DELIVERED })) } : {}),
      ...(rewritten.length > 0 ? {
        diff: {
          comparePatches: rewritten.map((name) => ({ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name, jsonPointers: ['/value'] })),
        },
      } : {}),
    };
  }

  private gitRepo(target: AssemblyTarget, program: EngineProgram): Manifest {
    const { props } = this;
    const own = program.stages.filter((stage) => stage.target === target.name);
    return {
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'GitRepo',
      metadata: { name: this.nameOf(target.name), namespace: target.kind === 'rancher' ? FLEET_LOCAL : FLEET_DEFAULT },
      spec: {
        repo: props.repo,
        branch: props.branch ?? 'main',
        ...(props.clientSecretName ? { clientSecretName: props.clientSecretName } : {}),
        paths: own.map(({ name }) => repositoryPath(props.path, name)),
        targets: [{ clusterName: props.clusters?.[target.name] ?? clusterNameOf(target, program) }],
      },
    };
  }

  private nameOf(name: string): string {
    return `${this.props.namePrefix ?? ''}${name}`;
  }
}

/** The name of a target's Cluster, as Fleet knows it. */
function clusterNameOf({ name, kind, properties }: AssemblyTarget, { assembly, manifests }: EngineProgram): string {
  if (kind === 'rancher') { return LOCAL_CLUSTER; }
  if (properties.provisioningCluster) { return properties.provisioningCluster.split('/').at(-1)!; }
  const [rancher, managementId] = (properties.managedAs ?? '').split('/');
  const cluster = assembly.objects.find((object) => (
    object.kind === 'Cluster' && groupOf(object.apiVersion) === GROUPS.PROVISIONING && object.target === rancher
    && manifests.get(object.id)?.metadata.annotations?.[ANNOTATION_MANAGEMENT_CLUSTER_NAME] === managementId));
  return cluster?.name ?? name;
}
