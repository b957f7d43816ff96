import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest } from '../../../src/core/manifest/manifest';
import { AssemblyObject } from '../../../src/core/output/assembly';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { BoundTargets, Cluster, ObjectRef } from '../../../src/engine/cluster/cluster';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { GraphNode } from '../../../src/engine/graph/graph';
import { reverseGraph } from '../../../src/engine/graph/reverse-graph';
import { NodeOutcome, NodeWorker, runGraph } from '../../../src/engine/graph/run-graph';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { fakeTargets } from '../../support/fake-cluster';
import { Client, Connection } from '../client';
import { clientOf, clusters, describeCluster } from '../clusters';

const namespace = 'resolve-test';
const cluster = 'c-m-resolve';
const URL = 'https://rancher.example.com/v3/import';
const TOKEN = 'a-token-of-rancher-5x7q2';

function apiOf({ url, ca, token }: Connection, name: string): Cluster {
  return new ApiCluster(
    new NodeTransport({
      name,
      server: new global.URL(url),
      ca,
      credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
    }),
  );
}

/** A Harvester that is registered by a URL, and an account on it whose kubeconfig Rancher holds. */
function newProgram(): SmallProgram {
  const secret = {
    resolver: 'secret-key',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name: 'account-token',
  };
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .late(
      'url',
      {
        resolver: 'registration-url',
        target: 'rancher',
        apiVersion: 'management.cattle.io/v3',
        kind: 'ClusterRegistrationToken',
        namespace: cluster,
        name: 'gitops',
        path: 'status.manifestUrl',
      },
      { type: 'url', sensitive: true },
    )
    .late('token', { ...secret, path: 'token' }, { type: 'token', sensitive: true })
    .late('ca', { ...secret, path: 'ca.crt' })
    .late('kubeconfig', {
      resolver: 'text',
      text: '{"token":"${late:token}","ca":"${late:ca|json}"}',
    });
  program.object('rancher', 'v1', 'Namespace', cluster);
  const crt = program.object(
    'rancher',
    'management.cattle.io/v3',
    'ClusterRegistrationToken',
    `${cluster}/gitops`,
    { spec: { clusterName: cluster } },
  );
  program.object('dc1', 'v1', 'Namespace', namespace);
  program.object('dc1', 'v1', 'ServiceAccount', `${namespace}/account`);
  const token = program.object('dc1', 'v1', 'Secret', `${namespace}/account-token`, {
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'account' } },
    type: 'kubernetes.io/service-account-token',
  });
  program.object('dc1', 'v1', 'ConfigMap', `${namespace}/registration`, {
    data: { value: '{"url":"${late:url}","insecureSkipTLSVerify":false}' },
  });
  program.object('rancher', 'v1', 'Secret', `${cluster}/credential`, {
    data: { kubeconfig: '${late:kubeconfig|base64}' },
  });
  program
    .edge('late:url', crt)
    .edge('late:token', token)
    .edge('late:ca', token)
    .edge('late:kubeconfig', 'late:token', 'value')
    .edge('late:kubeconfig', 'late:ca', 'value');
  return program;
}

function refOf({ apiVersion, kind, namespace: where, name }: AssemblyObject): ObjectRef {
  return { apiVersion, kind, name, ...(where === undefined ? {} : { namespace: where }) };
}

describeCluster('late values between real API servers', () => {
  const rancher = lazyClient('rancher');
  const harvester = lazyClient('harvester');
  let targets: BoundTargets;
  let apis: { [name: string]: Cluster };

  beforeAll(() => {
    const { connections } = clusters();
    apis = {
      rancher: apiOf(connections.rancher, 'rancher'),
      dc1: apiOf(connections.harvester, 'dc1'),
    };
    targets = fakeTargets(apis);
  });

  afterAll(async () => {
    for (const api of Object.values(apis)) {
      api.close();
    }
    await rancher().delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: cluster } });
    await harvester().delete({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  test('are resolved in one run over both clusters and used where needed, and everything is deleted in reverse order', async () => {
    const program = newProgram();
    const graph = buildGraph(program.assembly, program.manifests);
    const resolver = new LateResolver(program.assembly, targets, { timeoutMs: 600_000 });
    const apply: NodeWorker = {
      act: async ({ object, late }: GraphNode) => {
        if (late) {
          return resolver.resolve(late.id);
        }
        await apis[object!.target].apply(resolver.complete(program.manifests.get(object!.id)!), {
          fieldManager: 'cdk8s-harvester',
        });
      },
      settle: async () => {
        throw new Error('nothing waits for readiness here');
      },
    };
    const [outcomes] = await Promise.all([runGraph(graph, apply), rancherController()]);
    expect(states(outcomes)).toEqual(['done']);

    const registration = (
      await harvester().read(named('v1', 'ConfigMap', 'registration', namespace))
    ).body;
    expect(registration.data.value).toBe(
      `{"url":"${URL}/${TOKEN}_${cluster}.yaml","insecureSkipTLSVerify":false}`,
    );
    // the credential authenticates on Harvester as exactly this account
    const credential = (await rancher().read(named('v1', 'Secret', 'credential', cluster))).body;
    const kubeconfig = JSON.parse(
      Buffer.from(credential.data.kubeconfig as string, 'base64').toString('utf8'),
    ) as { token: string; ca: string };
    const { connections } = clusters();
    const asAccount = new Client({ ...connections.harvester, token: kubeconfig.token });
    const review = await asAccount.request(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      },
    );
    expect(review.body.status.userInfo.username).toBe(`system:serviceaccount:${namespace}:account`);
    expect(kubeconfig.ca).toContain('BEGIN CERTIFICATE');
    expect(resolver.secrets).toEqual(
      expect.arrayContaining([kubeconfig.token, `${URL}/${TOKEN}_${cluster}.yaml`]),
    );

    const gone: string[] = [];
    const destroy: NodeWorker = {
      act: async ({ object: declared }: GraphNode) => {
        const live = await apis[declared!.target].read(refOf(declared!));
        if (live) {
          await apis[declared!.target].delete(refOf(declared!), live.metadata.uid);
        }
      },
      settle: async ({ id, object: declared }: GraphNode) => {
        while (await apis[declared!.target].read(refOf(declared!))) {
          await sleep(50);
        }
        gone.push(id);
      },
    };
    const ended = await runGraph(
      reverseGraph(graph, program.assembly, program.manifests),
      destroy,
      { settles: () => true },
    );
    expect(states(ended)).toEqual(['done']);
    const at = (id: string): number => gone.indexOf(id);
    expect(at(`rancher//Secret/${cluster}/credential`)).toBeLessThan(
      at(`dc1//Secret/${namespace}/account-token`),
    );
    expect(at(`dc1//Secret/${namespace}/account-token`)).toBeLessThan(
      at(`dc1//ServiceAccount/${namespace}/account`),
    );
    expect(at(`dc1//ConfigMap/${namespace}/registration`)).toBeLessThan(
      at(`rancher/management.cattle.io/ClusterRegistrationToken/${cluster}/gitops`),
    );
    expect(
      gone
        .slice(-2)
        .map((id) => id.split('/')[2])
        .sort(),
    ).toEqual(['Namespace', 'Namespace']);
  });

  // as Rancher 2.13.8 does (live.md 1.4): the URL with a placeholder first, the Secret with the
  // token some time later
  async function rancherController(): Promise<void> {
    const token = named('management.cattle.io/v3', 'ClusterRegistrationToken', 'gitops', cluster);
    while ((await rancher().read(token)).status !== 200) {
      await sleep(50);
    }
    const status = {
      manifestUrl: `${URL}/{token}_${cluster}.yaml`,
      tokenSecretName: 'crt-token-gitops',
    };
    await rancher().request('PATCH', await rancher().pathOf(token), {
      contentType: 'application/merge-patch+json',
      body: { status },
    });
    await sleep(1_500);
    await rancher().apply({
      ...named('v1', 'Secret', 'crt-token-gitops', cluster),
      data: { token: Buffer.from(TOKEN).toString('base64') },
    } as Manifest);
  }
});

function named(apiVersion: string, kind: string, name: string, where: string): Manifest {
  return { apiVersion, kind, metadata: { name, namespace: where } };
}

function states(outcomes: ReadonlyMap<string, NodeOutcome>): string[] {
  for (const [id, outcome] of outcomes) {
    if (outcome.state === 'failed') {
      throw new Error(`${id}: ${outcome.error.message}`);
    }
  }
  return [...new Set([...outcomes.values()].map(({ state }) => state))];
}

/** A client that is made when it is needed: there may be no clusters. */
function lazyClient(kind: 'rancher' | 'harvester'): () => Client {
  let client: Client | undefined;
  return () => (client ??= clientOf(kind));
}
