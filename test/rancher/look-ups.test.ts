import { Size } from 'cdk8s';
import { Manifest, objectLabel } from '../../src/core/manifest/manifest';
import { GuestCluster } from '../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { VmImage } from '../../src/harvester/image/vm-image';
import { IpPool, IpPoolScope } from '../../src/harvester/ip-pool/ip-pool';
import { Disk } from '../../src/harvester/machine/disk';
import { VmNetwork } from '../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../src/harvester/storage/harvester-storage-class';
import { VirtualMachine } from '../../src/harvester/virtual-machine/virtual-machine';
import { ClusterId } from '../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../src/rancher/import/harvester-import';
import {
  ClusterMember,
  ClusterMembers,
  GlobalRoleBinding,
} from '../../src/rancher/members/members';
import { Principal } from '../../src/rancher/members/principal';
import { ProjectMember } from '../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../src/rancher/project/tenant-project';
import { RancherNamespace } from '../../src/rancher/rancher-namespace';
import { GlobalRole } from '../../src/rancher/role/global-role';
import { RoleTemplate, RoleTemplateContext } from '../../src/rancher/role/role-template';
import {
  ClusterMemberRole,
  GlobalPermission,
  ProjectMemberRole,
} from '../../src/rancher/role/roles';
import { LocalUser } from '../../src/rancher/user/user';
import { newApp, newHarvester, newRancher } from '../support/programs';
import { tenantWorld } from '../support/tenants';
import { assemblyOf } from '../support/written';

const MANAGEMENT = {
  resolver: 'matched-field',
  target: 'rancher',
  apiVersion: 'management.cattle.io/v3',
  path: 'metadata.name',
};

function platform(versions: readonly [rancher: string, harvester: string] = ['2.13.8', '1.7.2']) {
  const app = newApp();
  const rancher = newRancher(app, versions[0]);
  const dc1 = newHarvester(app, versions[1]);
  const cluster = HarvesterImport.fromDisplayName(rancher, 'dc1', {
    displayName: 'Data center 1',
    harvester: dc1,
  });
  return { app, rancher, dc1, cluster };
}

/** The templates of objects that wait, by their labels. */
const waiting = (assembly: any): Record<string, any> =>
  Object.fromEntries(
    assembly.objects.flatMap(({ template }: { template?: Manifest }) =>
      template ? [[objectLabel(template), template]] : [],
    ),
  );

const sourcesOf = (assembly: any): Record<string, any> =>
  Object.fromEntries(assembly.lateValues.map(({ id, source }: any) => [id, source]));

describe('objects by their display names', () => {
  test('on Rancher are looked up where they are unique, and are late in what refers to them', () => {
    const { app, rancher, cluster } = platform();
    const project = TenantProject.fromDisplayName(rancher, 'payments', {
      cluster,
      displayName: 'Payments',
    });
    const ana = Principal.localUser(LocalUser.fromUsername(rancher, 'ana', { username: 'ana' }));
    const operator = RoleTemplate.fromDisplayName(rancher, 'operator', {
      displayName: 'VM Operator',
    });
    const auditor = GlobalRole.fromDisplayName(rancher, 'auditor', { displayName: 'Auditor' });
    project.grant(
      ProjectMember.of(ana, ProjectMemberRole.template(operator), { bindingName: 'prtb-ana' }),
    );
    project.addNamespace('payments-vms');
    new ClusterMembers(rancher, 'members', {
      cluster,
      members: [
        ClusterMember.of(ana, ClusterMemberRole.template(operator), { bindingName: 'crtb-ana' }),
      ],
    });
    new GlobalRoleBinding(rancher, 'ana-auditor', {
      name: 'grb-ana',
      permission: GlobalPermission.role(auditor),
      principal: ana,
    });
    new RoleTemplate(rancher, 'more', {
      context: RoleTemplateContext.PROJECT,
      inherits: [operator],
    });
    app.synth();
    const assembly = assemblyOf(app);
    const late = (id: string): string => `\${late:rancher.${id}}`;
    const place = {
      ...MANAGEMENT,
      kind: 'Project',
      namespace: late('dc1.name'),
      name: 'spec.displayName=Payments',
    };
    expect(sourcesOf(assembly)).toEqual({
      'rancher.dc1.name': {
        ...MANAGEMENT,
        kind: 'Cluster',
        name: 'spec.displayName=Data center 1',
      },
      'rancher.payments.name': place,
      'rancher.payments.backingnamespace': {
        ...place,
        path: 'status.backingNamespace|metadata.name',
      },
      'rancher.ana.name': { ...MANAGEMENT, kind: 'User', name: 'username=ana' },
      'rancher.operator.name': {
        ...MANAGEMENT,
        kind: 'RoleTemplate',
        name: 'displayName=VM Operator',
      },
      'rancher.auditor.name': { ...MANAGEMENT, kind: 'GlobalRole', name: 'displayName=Auditor' },
    });
    const binding = {
      roleTemplateName: late('operator.name'),
      userPrincipalName: `local://${late('ana.name')}`,
    };
    expect(waiting(assembly)).toMatchObject({
      [`ProjectRoleTemplateBinding ${late('payments.backingnamespace')}/prtb-ana`]: {
        ...binding,
        projectName: `${late('dc1.name')}:${late('payments.name')}`,
      },
      [`ClusterRoleTemplateBinding ${late('dc1.name')}/crtb-ana`]: {
        ...binding,
        clusterName: late('dc1.name'),
      },
      'GlobalRoleBinding grb-ana': {
        globalRoleName: late('auditor.name'),
        userName: late('ana.name'),
      },
      'RoleTemplate more': { roleTemplateNames: [late('operator.name')] },
      'Namespace payments-vms': {
        metadata: {
          annotations: {
            'field.cattle.io/projectId': `${late('dc1.name')}:${late('payments.name')}`,
          },
        },
      },
    });
    expect(assembly.findings).toEqual([]);
  });

  test.each([[['2.13.8', '1.7.2']], [['2.15.0', '1.8.2']]] as const)(
    'serve machines, pools and guest clusters, on %j',
    (versions) => {
      const { app, rancher, dc1, cluster } = platform(versions);
      const project = TenantProject.fromDisplayName(rancher, 'payments', {
        cluster,
        displayName: 'Payments',
      });
      const namespace = project.addNamespace('payments-vms');
      const image = VmImage.fromDisplayName(dc1, 'noble', {
        displayName: 'Ubuntu 24.04',
        namespace: 'images',
      });
      const machine = {
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        networks: [
          new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 }),
        ],
      };
      new VirtualMachine(dc1, 'bastion', { namespace, ...machine });
      new IpPool(dc1, 'pool', {
        ranges: [{ subnet: '10.3.0.0/24' }],
        scopes: [IpPoolScope.project(project)],
      });
      new GuestCluster(rancher, 'shop', {
        harvesterImport: cluster,
        vmNamespace: namespace,
        kubernetes: Kubernetes.rke2('v1.34.2+rke2r1'),
        pools: [{ name: 'all', quantity: 3, roles: MachineRoles.ALL, ...machine }],
      });
      app.synth();
      const assembly = assemblyOf(app);
      const source = {
        resolver: 'matched-field',
        target: 'dc1',
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        namespace: 'images',
        name: 'spec.displayName=Ubuntu 24.04',
      };
      expect(sourcesOf(assembly)).toMatchObject({
        'dc1.noble.name': { ...source, path: 'metadata.name' },
        'dc1.noble.storageclassname': { ...source, path: 'status.storageClassName' },
      });
      const objects = waiting(assembly);
      const [template] = JSON.parse(
        objects['VirtualMachine payments-vms/bastion'].metadata.annotations[
          'harvesterhci.io/volumeClaimTemplates'
        ],
      );
      expect(template.metadata.annotations['harvesterhci.io/imageId']).toBe(
        'images/${late:dc1.noble.name}',
      );
      expect(template.spec.storageClassName).toBe('${late:dc1.noble.storageclassname}');
      expect(
        JSON.parse(objects['HarvesterConfig fleet-default/nc-shop-all'].diskInfo).disks[0]
          .imageName,
      ).toBe('images/${late:dc1.noble.name}');
      expect(objects['IPPool pool'].spec.selector.scope[0].project).toBe(
        '${late:rancher.dc1.name}/${late:rancher.payments.name}',
      );
      expect(
        assembly.findings.filter(({ rule }: any) => rule !== 'late-value/reference-waits'),
      ).toEqual([]);
    },
  );

  test('of a project wait for a cluster of the program', () => {
    const { app, rancher, cluster } = tenantWorld();
    TenantProject.fromDisplayName(rancher, 'payments', {
      cluster,
      displayName: 'Payments',
    }).addNamespace('payments-vms');
    app.synth();
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'late:rancher.payments.name',
      to: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
      type: 'applied',
    });
  });

  test('of a project whose backing namespace is set need one look-up', () => {
    const { app, rancher, cluster } = tenantWorld('2.13.8', ClusterId.fixed('c-m-harvdc05'));
    const project = TenantProject.fromDisplayName(rancher, 'payments', {
      cluster,
      displayName: 'Payments',
      backingNamespace: 'p-x7k2p',
    });
    project.grant(ProjectMember.owner(Principal.user('local://u-ana')));
    app.synth();
    expect(project.backingNamespace).toBe('p-x7k2p');
    expect(
      Object.keys(sourcesOf(assemblyOf(app))).filter((id) => id.startsWith('rancher.payments')),
    ).toEqual(['rancher.payments.name']);
  });

  test('of an image keep the StorageClass that the program sets', () => {
    const { dc1 } = platform();
    const volumeStorageClass = HarvesterStorageClass.fromName(dc1, 'class', {
      name: 'longhorn-noble',
    });
    expect(
      VmImage.fromDisplayName(dc1, 'noble', { displayName: 'Noble', volumeStorageClass })
        .storageClassName,
    ).toBe('longhorn-noble');
  });

  test('refuse an empty display name, with the prop', () => {
    const { rancher, dc1, cluster } = platform();
    const empty = (prop: string) =>
      `${prop}: must not be empty, got "". Fix: set the text that the UI shows`;
    expect(() => HarvesterImport.fromDisplayName(rancher, 'a', { displayName: '' })).toThrow(
      `[rancher/a] ${empty('displayName')}`,
    );
    expect(() => TenantProject.fromDisplayName(rancher, 'b', { cluster, displayName: '' })).toThrow(
      `[rancher/b] ${empty('displayName')}`,
    );
    expect(() => LocalUser.fromUsername(rancher, 'c', { username: '' })).toThrow(
      `[rancher/c] ${empty('username')}`,
    );
    expect(() => VmImage.fromDisplayName(dc1, 'd', { displayName: '' })).toThrow(
      `[dc1/d] ${empty('displayName')}`,
    );
  });

  test('cannot name what must be known at synthesis', () => {
    const { rancher, cluster } = platform();
    expect(() => RancherNamespace.fromName(rancher, 'tokens', { name: cluster.clusterId })).toThrow(
      '[rancher/tokens] name: must be a literal string, since synthesis derives other names from it. Fix: give the text itself',
    );
  });
});
