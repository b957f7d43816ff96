import { setTimeout as sleep } from 'node:timers/promises';
import { Witness } from './witness';
import {
  Fields,
  isRecord,
  itemsAt,
  Manifest,
  valueAt,
} from '../../../../src/core/manifest/manifest';
import { plainText } from '../../../../src/core/text/plain-text';
import { Cluster, refOf } from '../../../../src/engine/cluster/cluster';

/** How long a controller has to report an error. */
export const REPORT_MS = 3_000;
/** How long one may need to look at a change that shows which one it looked at last. */
const OBSERVED_MS = 45_000;
const LOOK_MS = 500;

/** Kinds whose controllers report errors. */
const REPORTED = ['Cluster', 'ClusterRepo', 'Project'];

/** Errors of a server without a network, or about objects that a scenario lacks. */
const OF_OTHERS =
  /dial tcp|no such host|i\/o timeout|Could not resolve|network is unreachable|"[^"]+" not found/i;

/** The conditions of an object, by which its controller reports errors. */
export class Conditions implements Witness {
  private readonly usual = new Set<string>();
  private isReported = false;

  public constructor(private readonly cluster: Cluster) {}

  public tells({ kind }: Manifest): boolean {
    return REPORTED.includes(kind);
  }

  public async see(unchanged: Manifest): Promise<void> {
    await this.isObserved(unchanged);
    (await this.errorsOf(unchanged)).forEach((error) => this.usual.add(error));
    this.isReported = (await this.conditionsOf(unchanged)).length > 0;
  }

  public async failureOf(changed: Manifest): Promise<string | undefined> {
    await this.isObserved(changed);
    await (this.isReported && this.isBegun(changed));
    for (const end = Date.now() + REPORT_MS; Date.now() < end; await sleep(LOOK_MS)) {
      const errors = await this.errorsOf(changed);
      const own = errors.find((error) => !this.usual.has(error) && !OF_OTHERS.test(error));
      if (own !== undefined) {
        return own;
      }
    }
    const isSilent = this.isReported && (await this.conditionsOf(changed)).length === 0;
    return isSilent ? 'its controller reports nothing' : undefined;
  }

  /** Waits until a controller looked at the newest generation, where the status shows that. */
  private async isObserved(object: Manifest): Promise<void> {
    for (const end = Date.now() + OBSERVED_MS; Date.now() < end; await sleep(LOOK_MS)) {
      const live = await this.cluster.read(refOf(object));
      const observed = valueAt(live, 'status', 'observedGeneration');
      if (typeof observed !== 'number' || observed === live?.metadata.generation) {
        return;
      }
    }
  }

  /** Waits until a controller reported anything about a new object. */
  private async isBegun(object: Manifest): Promise<void> {
    for (const end = Date.now() + OBSERVED_MS; Date.now() < end; await sleep(LOOK_MS)) {
      if ((await this.conditionsOf(object)).length > 0) {
        return;
      }
    }
  }

  /** The errors of an object without its name, so that those of two objects compare. */
  private async errorsOf(object: Manifest): Promise<string[]> {
    return (await this.conditionsOf(object))
      .filter(({ status, reason }) => status === 'False' && reason === 'Error')
      .map(({ type, message }) => `${plainText(type)}: ${plainText(message)}`)
      .map((text) => text.replaceAll(object.metadata.name, '<name>'));
  }

  private async conditionsOf(object: Manifest): Promise<readonly Fields[]> {
    const live = await this.cluster.read(refOf(object));
    return itemsAt(live, 'status', 'conditions').filter(isRecord);
  }
}
