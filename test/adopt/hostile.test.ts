import { DiagnosticCategory, transpileModule } from 'typescript';
import { CONSTRUCTIONS, baseOf } from './_inverses';
import { foundIn } from './_round-trip';
import { adopt } from '../../src/adopt/adopt';
import { foundId } from '../../src/adopt/evaluate/statements';
import { ALL_INVERSES } from '../../src/adopt/inverses/all-inverses';
import { programFiles } from '../../src/adopt/print/program';
import { withoutSecretValues } from '../../src/adopt/read/hidden-secrets';
import { TargetKind } from '../../src/core/construct/target';
import { FoundObject, FoundCluster } from '../../src/core/draft/draft';
import { Manifest, groupOf, isRecord, kindKey } from '../../src/core/manifest/manifest';
import { JUNK, replaced } from '../support/any-json';
import { ALL_CASES, someOf } from '../support/cases';

/** What a program would print in the wrong place, or break at. */
const HOSTILE: readonly unknown[] = [
  ...JUNK,
  '007',
  'a\u0000b\u001b[31m\u2028"\'`${x}\\',
  '*/ //\r\n',
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":null}'),
  Array.from({ length: 200 }, (_, index) => `item-${index}`),
];

/** Names that servers accept and that cannot be identifiers. */
const NAMES = ['1st', 'class', 'a.b-c', 'constructor', '--', '__proto__', 'x'.repeat(253)];

const SECRET = 'hush-hush';

/** At most this many objects of a kind: each takes its time. */
const MOST = ALL_CASES ? 40 : 4;

/** Live objects of each kind, as constructs write them. */
const bases = new Map<string, FoundObject>();
for (const entry of CONSTRUCTIONS.values()) {
  const place = baseOf(entry);
  for (const object of place ? foundIn(place).flatMap(({ objects }) => objects) : []) {
    const key = kindOf(object.manifest);
    if (!bases.has(key)) {
      bases.set(key, object);
    }
  }
}

function kindOf({ apiVersion, kind }: Manifest): string {
  return kindKey(groupOf(apiVersion), kind);
}

const targets: readonly FoundCluster[] = [
  {
    name: 'rancher',
    kind: TargetKind.RANCHER,
    version: '2.15.0',
    serverUrl: 'https://rancher.example.com',
    objects: [],
    unread: [],
  },
  {
    name: 'dc1',
    kind: TargetKind.HARVESTER,
    version: '1.8.2',
    vip: '10.10.0.10',
    objects: [],
    unread: [],
  },
  { name: 'guest', kind: TargetKind.GUEST, version: 'v1.33.6+rke2r1', objects: [], unread: [] },
];

/** Objects of a kind in which one place has something else, on all targets. */
function hostile(kind: string): readonly FoundCluster[] {
  const slash = kind.indexOf('/');
  const base = bases.get(kind)?.manifest ?? {
    apiVersion: kind.startsWith('/') ? 'v1' : `${kind.slice(0, slash)}/v1`,
    kind: kind.slice(slash + 1),
    metadata: { name: 'it' },
  };
  const {
    apiVersion,
    kind: word,
    metadata: { name: _, namespace, ...metadata },
    ...rest
  } = base;
  const contents = { metadata, ...rest };
  const variants = [
    {},
    contents,
    ...HOSTILE.flatMap((junk) => [...replaced(contents, junk)]),
  ].filter(isRecord);
  const step = Math.max(1, Math.floor(variants.length / MOST));
  const objects = variants
    .filter((_each, index) => index % step === 0)
    .map(
      (variant, index): Manifest =>
        ({
          ...variant,
          apiVersion,
          kind: word,
          metadata: {
            ...(isRecord(variant.metadata) ? variant.metadata : {}),
            name: index < NAMES.length ? NAMES[index] : `it-${index}`,
            ...(namespace === undefined ? {} : { namespace }),
          },
        }) as Manifest,
    );
  return everywhere(objects);
}

function everywhere(objects: readonly Manifest[]): readonly FoundCluster[] {
  const found = objects.map((manifest) => ({
    manifest: withoutSecretValues(manifest),
    from: 'a test',
  }));
  return targets.map((target) => ({
    ...target,
    objects: found.map((each) => ({ ...each, target: target.name })),
  }));
}

interface Faults {
  readonly text: string;
  readonly lost: readonly string[];
  readonly syntax: readonly unknown[];
}

/**
 * The objects that a program neither declares nor leaves out with a reason, and the syntax errors
 * of its text.
 */
function faultsOf(clusters: readonly FoundCluster[]): Faults {
  const adopted = adopt(clusters);
  const { statements, evaluated, leftOut } = adopted;
  const lost = clusters
    .flatMap(({ objects }) => objects)
    .map(foundId)
    .filter((id) => {
      const draft = statements.declarer(id);
      return !leftOut.has(id) && (draft === undefined || !evaluated.constructs.has(draft));
    });
  const files = programFiles(clusters, adopted);
  const syntax = [...files].flatMap(([fileName, text]) =>
    (transpileModule(text, { reportDiagnostics: true, fileName }).diagnostics ?? [])
      .filter(({ category }) => category === DiagnosticCategory.Error)
      .map(({ messageText, start = 0 }) => [
        fileName,
        messageText,
        text.slice(Math.max(0, start - 60), start + 60),
      ]),
  );
  const text = [...files.values()].join('\n');
  return {
    text,
    lost: lost.map(
      (id) => `${id}: ${evaluated.errors.get(statements.declarer(id)!) ?? 'no statement'}`,
    ),
    syntax,
  };
}

const kinds = [...new Set(ALL_INVERSES.flatMap((inverse) => inverse.kinds))].sort();

test.each(someOf(kinds, 8))(
  'declares or leaves out each object of %s, whatever it contains',
  (kind) => {
    const { lost, syntax } = faultsOf(hostile(kind));
    expect({ lost, syntax }).toEqual({ lost: [], syntax: [] });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  },
);

const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  [
    'cluster-registration-url',
    JSON.stringify({
      url: `https://rancher.example.com/v3/import/${SECRET}_c-m-abcd1234.yaml`,
      insecureSkipTLSVerify: false,
    }),
  ],
  ['cluster-registration-url', `https://rancher.example.com/v3/import/${SECRET}_c-m-abcd1234.yaml`],
  [
    'backup-target',
    JSON.stringify({
      type: 's3',
      accessKeyId: SECRET,
      secretAccessKey: SECRET,
      bucketName: 'b',
      bucketRegion: 'r',
    }),
  ],
  [
    'containerd-registry',
    JSON.stringify({ Configs: { r: { Auth: { Username: 'u', Password: SECRET } } } }),
  ],
  ['ssl-certificates', JSON.stringify({ ca: '', publicCertificate: '', privateKey: SECRET })],
  [
    'http-proxy',
    JSON.stringify({ httpProxy: `http://u:${SECRET}@proxy:3128`, noProxy: '10.0.0.0/8' }),
  ],
  ['rancher-cluster', SECRET],
];

test.each(SETTINGS)('prints no secret of the setting %s', (name, value) => {
  const manifest = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name },
    value,
  } as Manifest;
  const { text, lost } = faultsOf(
    targets.map((target) =>
      target.name === 'dc1'
        ? { ...target, objects: [{ target: 'dc1', manifest, from: 'a test' }] }
        : target,
    ),
  );
  expect(lost).toEqual([]);
  expect(text).not.toContain(SECRET);
});

test.each([
  'Opaque',
  'kubernetes.io/tls',
  'kubernetes.io/dockerconfigjson',
  'provisioning.cattle.io/cloud-credential',
])('prints no value of a Secret of type %s', (type) => {
  const values = {
    userdata: SECRET,
    networkdata: SECRET,
    password: SECRET,
    harvestercredentialConfigKubeconfig: SECRET,
    dockerconfigjson: SECRET,
  };
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  const objects = ['default', 'cattle-global-data', 'fleet-default'].map(
    (namespace) =>
      ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'it', namespace },
        type,
        data,
        stringData: values,
      }) as unknown as Manifest,
  );
  const { text, lost } = faultsOf(everywhere(objects));
  expect(lost).toEqual([]);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(data.password);
});
