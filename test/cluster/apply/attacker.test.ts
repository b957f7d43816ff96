import { gunzipSync, gzipSync } from 'zlib';
import { SharedServer } from './_shared-server';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { appOf } from '../../../src/engine/fields/apply-set';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { RunEvent } from '../../../src/engine/run/context/events';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { fakeTargets } from '../../support/fake-cluster';
import { describeCluster } from '../clusters';

/* eslint-disable @typescript-eslint/no-explicit-any */

const ID = appOf('attacked');
const VICTIM = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'victim', namespace: 'default' },
  data: { belongs: 'to another tenant' },
};

describeCluster('an attacker of the inventory, on an API server', () => {
  let server: SharedServer;
  let victim: LiveObject;
  const events: RunEvent[] = [];

  beforeAll(async () => {
    server = await SharedServer.start();
  });
  afterAll(async () => {
    await server?.stop();
  });

  const programOf = (...names: readonly string[]): RunProgram => {
    const program = new SmallProgram().target('rancher', 'rancher');
    for (const name of names) {
      program.object('rancher', 'v1', 'ConfigMap', `default/${name}`, { data: { name } });
    }
    const {
      assembly,
      manifests,
      targets: [target],
    } = program;
    return {
      folder: 'dist',
      digest: 'a1',
      assembly,
      manifests,
      targets: fakeTargets({ rancher: server.api }, { rancher: target }),
    };
  };
  const onEvent = (event: RunEvent): void => {
    events.push(event);
  };
  const apply = async (...names: readonly string[]) =>
    applyProgram(programOf(...names), { rolls: rollsByImpact, app: ID, onEvent });
  const read = async (ref: { namespace: string; name: string }): Promise<any> =>
    server.api.read({ apiVersion: 'v1', kind: 'ConfigMap', ...ref });

  const named = (schema: number, content: { entries: object[] } = { entries: [] }): string =>
    gzipSync(
      JSON.stringify({
        schema,
        app: ID.id,
        clusterUids: {},
        ...content,
        entries: [
          ...content.entries,
          {
            id: 'rancher//ConfigMap/default/victim',
            apiVersion: 'v1',
            kind: 'ConfigMap',
            namespace: 'default',
            name: 'victim',
            uid: victim.metadata.uid,
            policy: 'delete',
          },
        ],
      }),
    ).toString('base64');

  const parent = (namespace: string, inventory: string, more: object = {}): any => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ID.parent.name, namespace, ...more },
    binaryData: { inventory },
  });

  beforeEach(async () => {
    server.kubectlApply(VICTIM);
    victim = await server.live(VICTIM);
    events.splice(0);
  });

  test('planted where earlier versions kept it, it deletes nothing', async () => {
    await server.api.apply(
      parent('default', named(1), {
        annotations: { 'applyset.kubernetes.io/tooling': 'cdk8s-harvester/0.1.0' },
      }),
      { fieldManager: ID.fieldManager },
    );
    expect((await apply('a', 'b')).failed).toEqual([]);
    expect((await server.live(VICTIM)).metadata.uid).toBe(victim.metadata.uid);
    expect(await read(ID.formerParent)).toBeUndefined();
  });

  test('edited where it is kept, neither an apply nor a destroy deletes what does not carry our marks', async () => {
    expect((await apply('a', 'b')).failed).toEqual([]);
    const {
      binaryData: { inventory },
    } = await read(ID.parent);
    const edited = named(
      2,
      JSON.parse(gunzipSync(Buffer.from(inventory, 'base64')).toString('utf8')),
    );
    await server.api.apply(parent('kube-system', edited), {
      fieldManager: 'attacker',
      force: true,
    });
    expect((await apply('a')).failed).toEqual([]);
    expect(JSON.stringify(events)).toContain(
      'does not have the label applyset.kubernetes.io/part-of of this app',
    );
    // objects of this program are deleted
    expect(await read({ namespace: 'default', name: 'b' })).toBeUndefined();
    await server.api.apply(parent('kube-system', edited), {
      fieldManager: 'attacker',
      force: true,
    });
    expect((await destroyProgram(programOf('a'), { app: ID, onEvent })).failed).toEqual([]);
    expect(await read({ namespace: 'default', name: 'a' })).toBeUndefined();
    expect((await server.live(VICTIM)).metadata.uid).toBe(victim.metadata.uid);
  });

  test('it is kept in a namespace that no tenant gets', async () => {
    await apply('a');
    expect(ID.parent.namespace).toBe('kube-system');
    expect(await read(ID.formerParent)).toBeUndefined();
    expect((await read(ID.parent)).metadata.name).toBe(ID.parent.name);
  });
});
