import { isDeepStrictEqual } from 'node:util';
import { parseDocument } from 'yaml';
import { isRecord, itemsAt, Manifest } from '../../../../src/core/manifest/manifest';
import { machineField } from '../../../../src/guest/machine-config/machine-config.check';
import { cloudInitText } from '../../../../src/guest/machine-config/machine-json.facts';
import { driverArgs } from '../../machines/driver-args';
import { MachineLab, openLab } from '../../machines/lab';
import { DRIVER_VARIABLE } from '../../machines/node-driver';
import { normalMachine } from '../../machines/normal-machine';

/** The guest cluster of all machines of a run. */
const CLUSTER = 'judge';

/** What rancher-machine prints before the words of the driver. */
const BEFORE_WORDS = /^.*(?:flags provided|pre-create check|during machine creation): /;

/** The driver waits for what only KubeVirt does: it made the machine. */
const IS_WAITING = /Waiting for node get ip$/;

/** Where a VirtualMachine has its networks. */
const NETWORKS = ['spec', 'template', 'spec', 'networks'];

/** What the driver made of a HarvesterConfig. */
export interface MachineVerdict {
  /** Why it gives no machine, or one that lacks something; undefined for a good one. */
  readonly failure?: string;
}

/**
 * The second judge of a HarvesterConfig: Rancher stores any, and its node driver, which makes the
 * machines, decides. Each change is a machine that the real driver makes on the Harvester, where
 * Harvester's webhooks judge it.
 */
export class DriverJudge {
  /** Undefined where the environment names no driver. */
  public static open(): DriverJudge | undefined {
    return process.env[DRIVER_VARIABLE] ? new DriverJudge(openLab()) : undefined;
  }

  private readonly answers = new Map<string, Promise<MachineVerdict | undefined>>();
  private prepared = Promise.resolve();
  private count = 0;

  private constructor(private readonly lab: MachineLab) {}

  /** What the driver makes of a HarvesterConfig; undefined where it did not come to an end. */
  public async verdictOf(
    config: Manifest,
    unchanged: Manifest,
  ): Promise<MachineVerdict | undefined> {
    const key = JSON.stringify(driverArgs(config, CLUSTER));
    const answer = this.answers.get(key) ?? this.make(config, unchanged);
    this.answers.set(key, answer);
    return answer;
  }

  public async end(): Promise<void> {
    await this.lab.references.remove();
  }

  private async make(config: Manifest, unchanged: Manifest): Promise<MachineVerdict | undefined> {
    const { driver, client, references, machine: made } = this.lab;
    const machine = `${CLUSTER}-all-hj2kd-${String(++this.count).padStart(5, '0')}`;
    const namespace = machineField(config, 'vmNamespace') || 'default';
    const metadata = { namespace, name: machine };
    const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: `${machine}-cloudinit` },
    };
    // machines that are made at a time refer to the same objects
    this.prepared = this.prepared.then(async () => {
      await references.addReferences(unchanged);
      // some refer to what no server can have
      await references.addReferences(config).catch(() => undefined);
    });
    await this.prepared;
    await made.addInstance(namespace, machine).catch(() => undefined);
    try {
      const { isDone, isStopped, output } = await driver.create(config, CLUSTER, machine);
      const last = output.trimEnd().split('\n').at(-1) ?? '';
      if (isStopped && !IS_WAITING.test(last)) {
        return undefined;
      }
      if (!isDone && !IS_WAITING.test(last)) {
        return { failure: last.replace(BEFORE_WORDS, '') || 'the driver crashed' };
      }
      const [stored, cloudInit] = [await client.read(vm), await client.read(secret)];
      const data = cloudInit.status === 200 ? (cloudInit.body as Manifest) : undefined;
      return { failure: faultOf(config, stored.body as Manifest, data) };
    } finally {
      for (const object of [vm, secret, { ...vm, kind: 'VirtualMachineInstance' }]) {
        await client.delete(object).catch(() => undefined);
      }
    }
  }
}

/** What a machine lacks that it needs, or that its config has; undefined for a whole one. */
function faultOf(config: Manifest, vm: Manifest, secret: Manifest | undefined): string | undefined {
  const { virtualMachine, userData } = normalMachine(vm, secret);
  if (virtualMachine.claims.length === 0) {
    return 'the machine has no disk';
  }
  if (itemsAt(virtualMachine, ...NETWORKS).length === 0) {
    return 'the machine has no network';
  }
  const text = cloudInitText(config, 'userData') ?? '';
  const given: unknown = parseDocument(text, { uniqueKeys: false }).toJS();
  const dropped = isRecord(given)
    ? Object.keys(given).filter((key) => !isIn(given[key], userData[key]))
    : [];
  return dropped.length > 0
    ? `the machine lacks what its user data has: ${dropped.join(', ')}`
    : undefined;
}

/** Whether a machine has a value of its user data: the driver adds items to lists. */
function isIn(given: unknown, made: unknown): boolean {
  return Array.isArray(given) && Array.isArray(made)
    ? given.every((item) => made.some((other) => isDeepStrictEqual(item, other)))
    : isDeepStrictEqual(given, made);
}
