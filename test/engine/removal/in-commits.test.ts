import { Size } from 'cdk8s';
import { Output, applied } from './_outputs';
import {
  CloudCredential,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  Ipam,
  HarvesterLoadBalancer,
  Kubernetes,
  MachineRoles,
  Principal,
  ProjectMember,
  RancherChart,
  Retention,
  SecretValue,
  TenantProject,
  TokenSource,
  VmImage,
  VmNetwork,
} from '../../../src';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { whatBecomes } from '../../../src/engine/removal/removal';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { tempFolder } from '../../support/temp';

/** What the program contains at a commit. */
interface Step {
  readonly balancer?: boolean;
  readonly guest?: 'kept' | 'deleted';
  readonly credential?: boolean;
  readonly tenant?: 'kept' | 'deleted';
  readonly import?: 'kept' | 'deleted';
}

/** The program of the page on deletion, as it was delivered. */
function delivered({ balancer, guest, credential, tenant, import: imported }: Step): Output {
  const outdir = tempFolder();
  const app = new HarvesterApp({ outdir, printWarnings: false });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  VmImage.download(dc1, 'other', { url: 'https://images.example.com/other.img' });
  if (imported) {
    const token = TokenSource.value(
      SecretValue.unsafePlainText('exampleonly0123456789abcdefghijklmnopqrstuvwxyz012345'),
    );
    const harvester = new HarvesterImport(rancher, 'import-dc1', {
      harvester: dc1,
      registrationToken: token,
    });
    if (imported === 'deleted') {
      Retention.of(harvester).delete();
    }
    if (tenant) {
      const team = new TenantProject(rancher, 'shop', {
        cluster: harvester,
        tenantNamespaces: [{ name: 'shop-vms' }],
        members: [ProjectMember.owner(Principal.user('local://u-ana'))],
      });
      const namespace = team.declaredNamespace('shop-vms');
      if (tenant === 'deleted') {
        Retention.of(namespace).delete();
      }
      if (credential) {
        CloudCredential.serviceAccount(rancher, 'CloudCredential-dc1', {
          harvesterImport: harvester,
          namespaces: [namespace],
          name: 'cc-dc1',
          serviceAccountName: 'rancher-node-driver',
        });
      }
      if (guest) {
        const image = VmImage.download(dc1, 'noble', {
          url: 'https://images.example.com/noble.img',
        });
        const cluster = new GuestCluster(rancher, 'shop-cluster', {
          harvesterImport: harvester,
          vmNamespace: namespace,
          kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
          pools: [
            {
              name: 'all',
              quantity: 3,
              roles: MachineRoles.ALL,
              cpus: 4,
              memory: Size.gibibytes(8),
              disks: [Disk.image(image, Size.gibibytes(40))],
              networks: [
                new VmNetwork(dc1, 'net', {
                  clusterNetwork: ClusterNetwork.mgmt(dc1),
                  vlan: 100,
                  namespace,
                }),
              ],
            },
          ],
        });
        if (guest === 'deleted') {
          Retention.of(cluster).delete();
        }
        if (balancer) {
          new HarvesterLoadBalancer(cluster.chart, 'web', {
            ipam: Ipam.dhcp(),
            ports: [{ port: 443 }],
            selector: { app: 'web' },
          });
        }
      }
    }
  }
  app.synth();
  return applied(loadAssembly(outdir));
}

/** The kinds and names of the objects that leave with a commit, by what becomes of them. */
function leaving(before: Step, after: Step): { [fate: string]: string[] } {
  const [{ assembly, manifests }, now] = [before, after].map(delivered);
  const declared = new Set(now.assembly.objects.map(({ id }) => id));
  const removed = new Set(assembly.objects.map(({ id }) => id).filter((id) => !declared.has(id)));
  const found: { [fate: string]: string[] } = {};
  for (const [id, { fate }] of whatBecomes({ assembly, manifests, way: 'flux', removed })) {
    const { kind, name } = assembly.objects.find((object) => object.id === id)!;
    (found[fate] ??= []).push(`${kind} ${name}`);
  }
  return found;
}

const ALL: Step = { balancer: true, guest: 'kept', tenant: 'kept', import: 'kept' };
const CLUSTER = 'Cluster shop-cluster';
const CREDENTIAL = 'Secret cc-dc1';

describe('a guest cluster with its tenant and its Harvester, by an engine', () => {
  test('removed at once, is kept with its credential, and its members lose access', () => {
    const { kept, deleted } = leaving(ALL, {});
    expect(kept).toEqual(
      expect.arrayContaining([
        CLUSTER,
        CREDENTIAL,
        'Cluster dc1',
        'Namespace shop-vms',
        'Project shop',
        'NetworkAttachmentDefinition net',
      ]),
    );
    expect(deleted.every((each) => /^(Service web|ProjectRoleTemplateBinding )/.test(each))).toBe(
      true,
    );
  });

  test('is deleted in the documented commits, its credential after it', () => {
    const chosen: Step = { ...ALL, balancer: false, guest: 'deleted', credential: true };
    const without: Step = { tenant: 'kept', import: 'kept', credential: true };
    expect(leaving(ALL, { ...ALL, balancer: false })).toEqual({ deleted: ['Service web'] });
    expect(leaving({ ...ALL, balancer: false }, chosen)).toEqual({});
    const guest = leaving(chosen, without);
    expect(guest.deleted).toContain(CLUSTER);
    expect(guest.deleted).not.toContain(CREDENTIAL);
    // an engine never deletes an image without Retention.delete()
    expect(guest.kept).toEqual(['VirtualMachineImage noble']);
    const credential = leaving(without, { tenant: 'kept', import: 'kept' });
    expect(credential.deleted).toContain(CREDENTIAL);
    expect(credential.kept ?? []).toEqual([]);
    const tenant = leaving({ tenant: 'deleted', import: 'kept' }, { import: 'kept' });
    expect(tenant.deleted).toEqual(expect.arrayContaining(['Namespace shop-vms', 'Project shop']));
    const imported = leaving({ import: 'deleted' }, {});
    expect(imported.deleted).toEqual(expect.arrayContaining(['Cluster dc1']));
    expect(imported.kept).toEqual(expect.arrayContaining(['Setting cluster-registration-url']));
  });
});
