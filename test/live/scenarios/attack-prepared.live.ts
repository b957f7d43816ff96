import { ApiObject, Size } from 'cdk8s';
import { isRecord, Manifest } from '../../../src/core/manifest/manifest';
import { SecretValue } from '../../../src/core/value/secret-value';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { Attacked, Attacker, DeclareMore } from '../attack/attackers';
import { kubeconfigOf } from '../families/credentials';

/** An object that an attacker creates before the program does, exactly as the program would. */
interface Prepared {
  readonly kind: string;
  readonly by: Attacker;
  readonly declare: (attacked: Attacked) => DeclareMore;
}

const inNamespace =
  (kind: string, apiVersion: string, fields: object) =>
  (attacked: Attacked): DeclareMore =>
  ({ rancher }, { namespace }) => {
    const metadata = { name: attacked.lab.name('prepared'), namespace: attacked.namespace };
    new ApiObject(rancher, kind, { apiVersion, kind, metadata, ...fields }).addDependency(
      namespace,
    );
  };

const RBAC = 'rbac.authorization.k8s.io/v1';
const PODS = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };

const guest =
  (attacked: Attacked): DeclareMore =>
  ({ rancher, dc1 }, { cluster }) => {
    const { lab } = attacked;
    new GuestCluster(rancher, 'guest', {
      name: lab.name('guest'),
      clusterId: ClusterId.fixed(`c-m-${lab.prefix}g`),
      harvesterImport: cluster,
      vmNamespace: HarvesterNamespace.fromName(dc1, 'vms', { name: lab.name('vms') }),
      credential: CloudCredential.external(rancher, 'credential', {
        name: lab.name('driver'),
        kubeconfig: SecretValue.unsafePlainText(kubeconfigOf('none')),
      }),
      kubernetes: Kubernetes.rke2('v1.34.4+rke2r1'),
      pools: [
        {
          name: 'all',
          roles: MachineRoles.ALL,
          cpus: 2,
          memory: Size.gibibytes(4),
          disks: [
            Disk.image(
              VmImage.fromName(dc1, 'image', { name: 'image-one', namespace: 'harvester-public' }),
              Size.gibibytes(40),
            ),
          ],
          networks: [VmNetwork.fromName(dc1, 'network', { name: 'lan' })],
        },
      ],
    });
  };

/** Each row of the page on security of which someone below an administrator can create the object. */
const PREPARED: readonly Prepared[] = [
  { kind: 'Cluster', by: 'standard', declare: guest },
  { kind: 'HarvesterConfig', by: 'standard', declare: guest },
  { kind: 'Secret', by: 'standard', declare: guest },
  {
    kind: 'Project',
    by: 'member',
    declare:
      (attacked) =>
      ({ rancher }, { cluster }) => {
        new TenantProject(rancher, 'prepared', { cluster, name: attacked.lab.name('prepared') });
      },
  },
  {
    kind: 'ProjectRoleTemplateBinding',
    by: 'owner',
    declare:
      () =>
      (_, { project, users }) => {
        project.grant(ProjectMember.readOnly(Principal.localUser(users.member)));
      },
  },
  {
    kind: 'Namespace',
    by: 'owner',
    declare:
      (attacked) =>
      ({ rancher }, { project }) => {
        const namespace = attacked.namespaceOf(attacked.lab.name('prepared'));
        new ApiObject(rancher, 'prepared', namespace).addDependency(project);
      },
  },
  { kind: 'ServiceAccount', by: 'owner', declare: inNamespace('ServiceAccount', 'v1', {}) },
  { kind: 'Secret', by: 'owner', declare: inNamespace('Secret', 'v1', { type: 'Opaque' }) },
  { kind: 'Role', by: 'owner', declare: inNamespace('Role', RBAC, PODS) },
  {
    kind: 'RoleBinding',
    by: 'owner',
    declare: inNamespace('RoleBinding', RBAC, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    }),
  },
];

/**
 * What the program declares of an object, as someone else would write it: without the marks of the
 * app, and without a credential, which Rancher's webhook refuses to a user who cannot read it.
 */
function asAnyone({ metadata: { labels: _, ...metadata }, ...fields }: Manifest): Manifest {
  const { cloudCredentialSecretName: __, ...spec } = isRecord(fields.spec) ? fields.spec : {};
  return { ...fields, metadata, ...(isRecord(fields.spec) ? { spec } : {}) } as Manifest;
}

describe('what an attacker created before the program', () => {
  let attacked: Attacked;

  beforeAll(async () => {
    attacked = await Attacked.open('prepared');
    expect(await attacked.commit()).toEqual([]);
  });
  afterAll(async () => {
    expect((await attacked?.close()) ?? []).toEqual([]);
  });

  /** Creates the new object of a kind as the attacker. Returns what a plan refuses it with. */
  async function refusalOf({ kind, by, declare }: Prepared): Promise<string | undefined> {
    const more = declare(attacked);
    const [first, before] = [attacked.manifestsOf(more), attacked.manifestsOf()];
    const known = new Set(before.map((each) => JSON.stringify(each)));
    const own = first.find((each) => each.kind === kind && !known.has(JSON.stringify(each)))!;
    await attacked.create(by, asAnyone(own));
    const { name, namespace = '' } = own.metadata;
    const step = (await attacked.stepsOf(more)).find(({ id }) =>
      id.endsWith(`/${kind}/${namespace}/${name}`),
    );
    return step === undefined ? 'no step' : step.refused;
  }

  test.each(PREPARED)('a $kind of the $by is not adopted', async (prepared) => {
    expect(await refusalOf(prepared)).toEqual(expect.stringContaining('--accept-existing'));
  });

  test('a ConfigMap, which gives no permissions, is adopted', async () => {
    const declare = inNamespace('ConfigMap', 'v1', { data: { a: '1' } });
    expect(await refusalOf({ kind: 'ConfigMap', by: 'owner', declare })).toBeUndefined();
  });
});
