import { sep } from 'path';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { createdByProgram } from '../../../src/core/construct/program-place';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterNode } from '../../../src/harvester/node/node';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { configMap, newApp, newHarvester } from '../../support/programs';

/** A public constructor, as programs call it. */
function guarded<T>(create: () => T): T {
  return createdByProgram(guarded, create);
}

const HERE = `test${sep}core${sep}construct${sep}program-place.test.ts`;

/** A message and a stack without the numbers of lines and columns. */
const plain = (text: string | undefined): string => text!.replace(/:\d+:\d+/g, ':1:2');

function errorOf(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('does not fail');
}

describe('an error', () => {
  const create = (): unknown => guarded(() => new HarvesterNode(newHarvester(newApp()), 'prod_1'));

  test('names the place of the call, and has only frames of the program', () => {
    const { message, stack } = errorOf(create);
    const text =
      '[dc1/prod_1] name: must be a valid object name (the path of the construct is the default), got "prod_1". ' +
      'Fix: set a name of a-z, 0-9, hyphens and dots that begins and ends with a letter or digit';
    expect(plain(message)).toBe(`${text}\n  at ${HERE}:1:2`);
    const [first, ...frames] = plain(stack).split('\n');
    expect(first).toBe(`Error: ${text}`);
    expect(frames.slice(0, 2)).toEqual([
      `    at create (${HERE}:1:2)`,
      `    at errorOf (${HERE}:1:2)`,
    ]);
    expect(frames.filter((frame) => !frame.includes(HERE))).toEqual([]);
  });

  test('names one place where a call leads to another', () => {
    const { message } = errorOf(() => guarded(() => guarded(() => HarvesterVersion.parse('1.7'))));
    expect(plain(message).split('\n')).toEqual([
      expect.stringContaining('must be a full version'),
      `  at ${HERE}:1:2`,
    ]);
  });

  test.each<[string, () => never]>([
    [
      'of the language, which is a mistake of the library,',
      () => {
        throw new TypeError('x is not a function');
      },
    ],
    [
      'that code of the program throws',
      () => {
        throw new Error('own');
      },
    ],
    [
      'that is not an error',
      () => {
        throw 'text';
      },
    ], // eslint-disable-line @typescript-eslint/only-throw-error
  ])('%s is left as it is', (_, call) => {
    let before: unknown;
    const failing = (): never => {
      try {
        return call();
      } catch (error) {
        before = (error as Error).stack;
        throw error;
      }
    };
    expect(errorOf(() => guarded(failing)).stack).toBe(before);
  });

  test('names no place in a process of jsii', () => {
    process.env.JSII_AGENT = 'Python/3.13';
    try {
      jest.isolateModules(() => {
        const { calledByProgram } = jest.requireActual<
          typeof import('../../../src/core/construct/program-place')
        >('../../../src/core/construct/program-place');
        const { HarvesterVersion: Version } = jest.requireActual<
          typeof import('../../../src/harvester/version/harvester-version')
        >('../../../src/harvester/version/harvester-version');
        const call = (): unknown => calledByProgram(call, () => Version.parse('1.7'));
        expect(errorOf(call).message).not.toMatch(/\n {2}at /);
      });
    } finally {
      delete process.env.JSII_AGENT;
    }
  });
});

describe('a finding', () => {
  const PLACE = expect.stringMatching(new RegExp(`^${HERE.replace(/[/.]/g, '\\$&')}:\\d+:\\d+$`));

  /** A wrapper of the program. */
  class Platform extends Construct {
    constructor(scope: Construct, id: string) {
      super(scope, id);
      guarded(
        () =>
          new VmNetwork(this, 'net', {
            clusterNetwork: ClusterNetwork.mgmt(this),
            vlan: 100,
            name: 'prod',
          }),
      );
      configMap(this, 'Odd_Name');
    }
  }

  test('names the place that creates its construct, or the construct that it is a part of', () => {
    const app = newApp();
    const dc1 = guarded(() => newHarvester(app, '1.17.2'));
    const platform = new Platform(dc1, 'platform');
    guarded(
      () =>
        new VmNetwork(dc1, 'twice', {
          clusterNetwork: ClusterNetwork.mgmt(dc1),
          vlan: 101,
          name: 'prod',
        }),
    );
    new ApiObject(platform.node.findChild('net'), 'Odd_Name', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
    const places = Object.fromEntries(
      app.validate().map(({ construct, place }) => [construct, place]),
    );
    expect(places).toMatchObject({
      'dc1': PLACE,
      'dc1/twice/Resource': PLACE,
      'dc1/platform/net/Odd_Name': PLACE,
      'dc1/platform/Odd_Name': undefined,
    });
    expect(new Set(Object.values(places)).size).toBe(4);
  });

  test('is in the error of a failed synthesis, which has only frames of the program, and not in the assembly', () => {
    const app = newApp();
    const dc1 = guarded(() => newHarvester(app, '1.17.2'));
    app.synth();
    expect(app.findings).toMatchObject([{ rule: 'version/unknown', place: PLACE }]);
    expect(readAssembly(app.outdir).findings).toEqual([
      expect.not.objectContaining({ place: PLACE }),
    ]);

    configMap(dc1, 'Odd_Name');
    const { message, stack } = errorOf(() => {
      app.synth();
    });
    expect(plain(message)).toContain(`\n  at: dc1 (${HERE}:1:2)\n`);
    expect(message).toMatch(/\n1 error, 1 warning$/);
    expect(stack).toContain(message);
    expect(
      stack!
        .slice(stack!.indexOf(message) + message.length)
        .split('\n')
        .slice(1)
        .filter((frame) => !frame.includes(HERE)),
    ).toEqual([]);
  });
});
