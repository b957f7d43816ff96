import { createHash } from 'node:crypto';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { Platform } from '../doubles/platform';
import { writeProgram } from '../doubles/program';

const IMAGE = '/apis/harvesterhci.io/v1beta1/namespaces/default/virtualmachineimages/ubuntu-shop';

describeCluster('destroy, over three API servers', () => {
  let platform: Platform;
  let dist: string;

  beforeAll(async () => {
    platform = await Platform.start();
    dist = writeProgram(tempFolder());
    expect((await platform.cli('apply', dist, '--wait', '--timeout', '600')).exitCode).toBe(0);
  });
  afterAll(async () => {
    await platform?.stop();
  });
  beforeEach(() => platform.calm());

  const finalizers = async (...names: string[]): Promise<void> => {
    const { body } = await platform.clients.harvester.get(IMAGE);
    const patch = {
      metadata: { finalizers: names, resourceVersion: body.metadata.resourceVersion },
    };
    const { status } = await platform.clients.harvester.request('PATCH', IMAGE, {
      contentType: 'application/merge-patch+json',
      body: patch,
    });
    expect(status).toBe(200);
  };

  test('asks, and without anybody to answer does nothing', async () => {
    const { stderr, exitCode } = await platform.cli('destroy', dist);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('set --yes')]);
    expect(platform.proxies.flatMap(({ requests }) => requests)).toEqual([]);
  });

  test('reports what blocks an object that is not deleted, and deletes everything that does not need it', async () => {
    await finalizers('example.com/held');
    const { stdout, exitCode } = await platform.cli('destroy', dist, '--yes', '--timeout', '12');
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        /VirtualMachineImage\/default\/ubuntu-shop: still exists after 12 s: .*example\.com\/held/,
      ),
    ]);
    expect((await platform.clients.harvester.get(IMAGE)).status).toBe(200);
    expect(stdout).toContain(
      'deleted    rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    );
  });

  test('continues in a second run, although objects are gone already', async () => {
    await finalizers();
    const { stdout, exitCode } = await platform.cli('destroy', dist, '--yes', '--timeout', '600');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\d+ done in/)]);
    // a machine without its credential, a namespace without its Rancher: the doubles would say so
    expect(platform.problems).toEqual([]);
  });

  test('the Setting is reset and carried out, the agent is gone, system namespaces are there, inventory and lock are not', async () => {
    const { harvester, rancher, guest } = platform.clients;
    const { status, body } = await harvester.get(
      '/apis/harvesterhci.io/v1beta1/settings/cluster-registration-url',
    );
    expect([status, body.value ?? '', body.metadata.annotations['harvesterhci.io/hash']]).toEqual([
      200,
      '',
      createHash('sha224').update('').digest('hex'),
    ]);
    expect(
      (
        await harvester.get(
          '/apis/apps/v1/namespaces/cattle-system/deployments/cattle-cluster-agent',
        )
      ).status,
    ).toBe(404);
    expect((await harvester.get('/api/v1/namespaces/cattle-system')).status).toBe(200);
    expect((await harvester.get('/api/v1/namespaces/shop-vms')).status).toBe(404);
    expect((await rancher.get('/apis/provisioning.cattle.io/v1/clusters')).body.items).toEqual([]);
    for (const client of [harvester, rancher, guest]) {
      expect(
        (await client.get('/api/v1/namespaces/kube-system/configmaps/cdk8s-harvester-default'))
          .status,
      ).toBe(404);
    }
    expect(
      (
        await rancher.get(
          '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cdk8s-harvester-default',
        )
      ).status,
    ).toBe(404);
  });

  test('applies the same program again, and deletes it in dependency order', async () => {
    expect((await platform.cli('apply', dist, '--wait', '--timeout', '600')).exitCode).toBe(0);
    platform.calm();
    expect((await platform.cli('destroy', dist, '--yes', '--timeout', '600')).exitCode).toBe(0);
    const { requests } = platform.rancherProxy;
    const both = [...requests.map((request) => ({ ...request, on: 'rancher' }))];
    const at = (end: string): number =>
      both.findIndex(({ method, path }) => method === 'DELETE' && path.split('?')[0].endsWith(end));
    expect(at('/services/web-shop')).toBeLessThan(at('/fleet-default/clusters/shop'));
    expect(at('/fleet-default/clusters/shop')).toBeLessThan(at('/secrets/cc-shop'));
    expect(at('/fleet-default/clusters/shop')).toBeLessThan(at('/harvesterconfigs/nc-shop'));
    expect(at('/projects/shop')).toBeLessThan(at('/fleet-default/clusters/dc1-shop'));
    expect(at('/services/web-shop')).toBeGreaterThan(-1);
    expect(platform.harvesterProxy.count('DELETE', /\/settings\//)).toBe(0);
    expect(platform.problems).toEqual([]);
  });
});
