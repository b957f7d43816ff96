import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { RecordedStep, Recorder } from './recorder';
import { lateIdsIn } from '../../../src/core/late/late-text';
import { Manifest } from '../../../src/core/manifest/manifest';
import { BoundTarget, Cluster } from '../../../src/engine/cluster/cluster';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { LoadedAssembly, loadAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { BALANCERS } from '../families/balancers';
import { CATALOG } from '../families/catalog';
import { CREDENTIALS, kubeconfigOf } from '../families/credentials';
import { FIRST, Family, stageOf } from '../families/family';
import { GUESTS } from '../families/guests';
import { HOSTS } from '../families/hosts';
import { KUBERNETES } from '../families/kubernetes';
import { IMAGES, MACHINES, TEMPLATES } from '../families/machines';
import { NETWORKS, UPLINKS } from '../families/networks';
import { ROLES } from '../families/roles';
import { TENANCY } from '../families/tenancy';
import { PRODUCTS, Product } from '../lab/kubeconfigs';
import { Lab, TARGETS } from '../lab/lab';
import { Walk } from '../walk/walk';

/** Takes the place of the prefix of a run. */
const PLAIN = 'live';

/** Take the place of the URL of the Rancher, of secrets, and of the name server that is asked. */
const EXAMPLE_URL = 'https://rancher.example.com';
const EXAMPLE_SECRET = Buffer.from('example-credential').toString('base64');
const EXAMPLE_NAME_SERVER = '192.0.2.53';
/** The namespace of the context of a kubeconfig. */
const NAMESPACE = /\bnamespace"?: *"?([a-z0-9-]+)/;
const NAME_SERVER = /on [\d.]+:53\b/g;

/** How long a late value may take, such as the token of a service account. */
const LATE_MS = 60_000;

const FAMILIES = [
  HOSTS,
  TEMPLATES,
  MACHINES,
  IMAGES,
  NETWORKS,
  UPLINKS,
  BALANCERS,
  KUBERNETES,
  CATALOG,
  ROLES,
  TENANCY,
  CREDENTIALS,
  GUESTS,
];

describe('recordings', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
  });
  afterAll(async () => {
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  test.each(FAMILIES.map((family) => [family.title, family] as const))(
    'of the family %s',
    async (title, family: Family) => {
      const name = lab.name.bind(lab);
      const dist = new Walk(lab, title).synthesize((charts) => {
        const stage = stageOf(charts, { variation: FIRST, name, fixed: name });
        family.base?.(stage);
        family.declare(stage, 0);
      });
      const [rancher, harvester] = [lab.server('rancher'), lab.server('harvester')];
      const folder = join(
        process.env.LIVE_RECORD!,
        `rancher-${rancher.version}-harvester-${harvester.version}`,
      );
      mkdirSync(folder, { recursive: true });
      const { program, secrets } = programOf(lab, loadAssembly(dist));
      const stop = await family.prepare?.(lab);
      const recorder = new Recorder(title, (text) => plainText(lab, secrets(), text));
      const { objects } = await recorder.record(program).finally(() => stop?.());
      for (const product of PRODUCTS) {
        const own = objects.filter((_, at) => program[at].product === product);
        if (own.length > 0) {
          const found = { scenario: title, objects: own };
          writeFileSync(join(folder, `${product}-${title}.json`), `${JSON.stringify(found)}\n`);
        }
      }
      const recorded = objects.filter(({ states }) => states.length > 0);
      expect(recorded).not.toEqual([]);
    },
  );
});

/** A recording without what another lab has not, and without the secrets that were resolved. */
function plainText({ prefix, facts }: Lab, secrets: readonly string[], text: string): string {
  const address = facts.serverUrl!;
  const open = [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(secret, exampleOf(secret)), text);
  return open
    .replaceAll(prefix, PLAIN)
    .replaceAll(address, EXAMPLE_URL)
    .replaceAll(new URL(address).host, new URL(EXAMPLE_URL).host)
    .replaceAll(NAME_SERVER, `on ${EXAMPLE_NAME_SERVER}:53`);
}

/** What takes the place of a secret: for a kubeconfig one of its namespace, which rules judge. */
function exampleOf(secret: string): string {
  const text = Buffer.from(secret, 'base64').toString();
  if (!text.includes('current-context')) {
    return EXAMPLE_SECRET;
  }
  const config = JSON.parse(kubeconfigOf('none')) as { contexts: { context: object }[] };
  const [, namespace] = NAMESPACE.exec(text) ?? [];
  Object.assign(config.contexts[0].context, { namespace });
  return Buffer.from(JSON.stringify(config)).toString('base64');
}

interface RecordedProgram {
  /** The objects in the order in which apply writes them, with their late values. */
  readonly program: readonly (RecordedStep & { readonly product: Product })[];
  /** The secrets among the late values that are known. */
  readonly secrets: () => readonly string[];
}

function programOf(lab: Lab, { assembly, manifests }: LoadedAssembly): RecordedProgram {
  const productOf = (name: string): Product | undefined =>
    PRODUCTS.find((product) => TARGETS[product] === name);
  const targets = new Map<string, BoundTarget>();
  for (const target of assembly.targets) {
    const product = productOf(target.name);
    if (product) {
      const cluster = async (): Promise<Cluster> => Promise.resolve(lab.server(product).cluster);
      targets.set(target.name, { target, by: 'the lab', cluster });
    }
  }
  const resolver = new LateResolver(assembly, targets, { timeoutMs: LATE_MS });
  const program = [...buildGraph(assembly, manifests).nodes.values()].flatMap(({ object }) => {
    const product = object && productOf(object.target);
    // a lab has no guest clusters
    if (!product) {
      return [];
    }
    const manifest = async (): Promise<Manifest> => {
      const template = manifests.get(object.id)!;
      await Promise.all(lateIdsIn(template).map(async (id) => resolver.resolve(id)));
      return resolver.complete(template);
    };
    return [{ product, cluster: lab.server(product).cluster, manifest }];
  });
  return { program, secrets: () => resolver.secrets };
}
