import { applyAll, complaints, deleteAll } from './apply-all';
import { clientOf, describeCluster } from './clusters';
import { Manifest } from '../../src/core/manifest/manifest';

function vm(domain: object, volumes: object[] = []): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'definition-check', namespace: 'default' },
    spec: {
      runStrategy: 'Halted',
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { domain: { devices: {}, ...domain }, volumes },
      },
    },
  } as Manifest;
}

async function complaintsOf(object: Manifest): Promise<string[]> {
  const client = clientOf('harvester');
  const { applied } = await applyAll(client, [object]);
  await deleteAll(client, [object]);
  return applied.flatMap(complaints);
}

// the definition is made here, from the schemas of KubeVirt's library: what is made must be as
// strict as the real one
describeCluster('the definition of virtual machines', () => {
  test('takes quantities in both forms, and what a template may hold', async () => {
    expect(
      await complaintsOf(
        vm({
          memory: { guest: '4Gi' },
          cpu: { cores: 2 },
          resources: { limits: { cpu: 2, memory: '4Gi' } },
        }),
      ),
    ).toEqual([]);
  });

  test('refuses a field that KubeVirt does not have, also deep within', async () => {
    expect(await complaintsOf(vm({ memory: { guset: '4Gi' } }))).toEqual([
      expect.stringContaining('.spec.template.spec.domain.memory.guset'),
    ]);
  });

  test('refuses a value of another type', async () => {
    expect((await complaintsOf(vm({ cpu: { cores: 'two' } }))).join()).toMatch(/cores/);
  });

  test('refuses a volume without a name', async () => {
    expect(
      (await complaintsOf(vm({}, [{ persistentVolumeClaim: { claimName: 'x' } }]))).join(),
    ).toMatch(/name/);
  });
});
