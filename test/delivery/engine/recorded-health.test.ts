import { readCel, readLua } from './_readings';
import { KindReadiness } from '../../../src/core/kind/description/readiness';
import { kindOf } from '../../../src/core/kind/kinds';
import { EXISTS, HealthRule } from '../../../src/core/kind/ready/health';
import { Manifest } from '../../../src/core/manifest/manifest';
import { printLua } from '../../../src/delivery/engine/argo-cd-engine';
import { printCel } from '../../../src/delivery/engine/flux-engine';
import { holds } from '../../support/health-expression';
import {
  FAMILIES,
  Generation,
  GENERATIONS,
  Recording,
  withFamilies,
} from '../../support/recordings';

const ruleOf = (live: Manifest): HealthRule =>
  kindOf<KindReadiness>(live)?.health ?? { healthy: EXISTS };
const verdict = ({ healthy, failed }: HealthRule, live: Manifest): string => {
  if (failed && holds(failed, live)) {
    return 'Degraded';
  }
  return holds(healthy, live) ? 'Healthy' : 'Progressing';
};

/**
 * The verdicts on the states of an object, the same ones in a row once. All that is not named here
 * is healthy at once.
 */
interface Verdicts {
  readonly verdicts: readonly (readonly [objects: RegExp, verdicts: string])[];
  /** Settings that were not healthy in all states. */
  readonly settings: {
    readonly [name: string]: { readonly [verdicts: string]: readonly string[] };
  };
}

const VERDICTS: Verdicts['verdicts'] = [
  [/^provisioning\.cattle\.io\/v1\/Cluster\//, 'Progressing, Healthy'],
  [/\/Project\//, 'Progressing, Healthy'],
  [/\/KeyPair\/|\/IPPool\//, 'Progressing, Healthy'],
  // no image server answered, and no KubeVirt was there
  [/\/VirtualMachineImage\/|\/VirtualMachine\//, 'Progressing'],
];

/** What the first ones need was not there. */
const SETTINGS: Verdicts['settings'] = {
  'harvester-settings-set': {
    'Progressing': [
      'additional-ca',
      'auto-disk-provision-paths',
      'containerd-registry',
      'http-proxy',
    ],
    'Progressing, Healthy': [
      'auto-rotate-rke2-certs',
      'kubevirt-migration',
      'log-level',
      'longhorn-v2-data-engine-enabled',
      'max-hotplug-ratio',
      'ntp-servers',
      'ssl-parameters',
      'vip-pools',
    ],
  },
  'harvester-settings-reset': {
    'Progressing': [
      'additional-ca',
      'auto-disk-provision-paths',
      'containerd-registry',
      'http-proxy',
    ],
    // unexpected end of JSON input
    'Healthy, Progressing': ['auto-rotate-rke2-certs', 'vip-pools'],
  },
};

const OLDER: Verdicts = { verdicts: VERDICTS, settings: SETTINGS };

/** What the newer Harvester needed and lacked besides. */
const LACKED = [
  'kubeconfig-default-token-ttl-minutes',
  'longhorn-v2-data-engine-enabled',
  'overcommit-config',
  'ssl-parameters',
];

/** The verdicts on families of the newer servers, of which early states were seen. */
const OF_FAMILIES: Verdicts = {
  verdicts: [
    [/\/(Cluster|Project|KeyPair|IPPool|VirtualMachineTemplateVersion)\//, 'Progressing, Healthy'],
    // no machine is behind the address, no KubeVirt was there, and no server of charts answered
    [/\/(LoadBalancer|VirtualMachine|ClusterRepo)\//, 'Progressing'],
  ],
  settings: {},
};

/** The verdicts on the newer servers: the recorder of that Rancher mostly saw what it ended with. */
const NEWER: Verdicts = {
  verdicts: [
    // tried four times, in vain
    [/\/VirtualMachineImage\//, 'Progressing, Degraded'],
    [/\/KeyPair\/|\/IPPool\//, 'Progressing, Healthy'],
    [/\/VirtualMachine\//, 'Progressing'],
  ],
  settings: Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { Progressing, ...others }]) => [
      name,
      { Progressing: [...Progressing, ...LACKED], ...others },
    ]),
  ),
};

const VERDICTS_OF = new Map<Generation, Verdicts>([
  [GENERATIONS[0], OLDER],
  [FAMILIES, OF_FAMILIES],
]);

const expectedOf = ({ name, generation }: Recording, object: string): string => {
  const { verdicts, settings } = VERDICTS_OF.get(generation) ?? NEWER;
  const setting = Object.entries(settings[name] ?? {}).find(([, names]) =>
    names.some((each) => object.endsWith(`/Setting//${each}`)),
  );
  return setting?.[0] ?? verdicts.find(([objects]) => objects.test(object))?.[1] ?? 'Healthy';
};

describe.each(withFamilies())('$title', (recording) => {
  const seen = recording.objects.filter(({ states }) => states.length > 0);

  test('is healthy once later stages can go on', () => {
    const verdicts = seen.map(({ object, states }) => {
      const all = states.map(({ object: live }) => verdict(ruleOf(live), live));
      return [object, all.filter((each, index) => each !== all[index - 1]).join(', ')];
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(Object.fromEntries(verdicts)).toEqual(
      Object.fromEntries(seen.map(({ object }) => [object, expectedOf(recording, object)])),
    );
  });

  test('means the same in CEL and in Lua, in every state', () => {
    for (const { object, states } of seen) {
      states.forEach(({ object: live }, at) => {
        const rule = ruleOf(live);
        const where = `${object} state ${at}`;
        // an expression that fails is not healthy
        expect([where, readCel(printCel(rule.healthy), live) ?? false]).toEqual([
          where,
          holds(rule.healthy, live),
        ]);
        if (rule.failed) {
          expect([where, readCel(printCel(rule.failed), live) ?? false]).toEqual([
            where,
            holds(rule.failed, live),
          ]);
        }
        expect([where, readLua(printLua(rule), live)]).toEqual([where, verdict(rule, live)]);
      });
    }
  });
});
