import { setTimeout as sleep } from 'node:timers/promises';
import { Conditions, REPORT_MS } from './conditions';
import { DriverJudge } from './driver';
import { ImportManifests } from './import-manifests';
import { isPassword, Logins } from './logins';
import { ManagementIds } from './management-ids';
import { isOfPrincipal, Members } from './members';
import { TokenSettings } from './token-settings';
import { Turns } from './turns';
import { Tried, Witness } from './witness';
import { annotationsOf, Manifest } from '../../../../src/core/manifest/manifest';
import { Cluster, refOf } from '../../../../src/engine/cluster/cluster';
import { ApiError } from '../../../../src/engine/transport/api';
import { HARVESTER_CONFIG_KIND } from '../../../../src/guest/machine-config/machine-config.kind';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from '../../../../src/rancher/cluster/cluster.facts';
import { Change } from '../changes';
import { isOnce } from '../corpus';
import { Judged } from '../run';
import { applyPatiently } from '../verdict';

/** How many machines the node driver makes at a time. */
const MACHINES_AT_ONCE = 4;

const CLUSTER = 'Cluster';
const BINDING = /Binding$/;

/** Logins of all scenarios: while a setting about tokens is tried, no login shows anything else. */
const LOGINS = new Turns();

/** How many new Clusters are tried at a time. */
const CLUSTERS_AT_ONCE = 4;

/**
 * Tries what a dry run does not decide: webhooks skip checks in a dry run, and what a server stores
 * can fail where it is read. Objects are applied, looked at, and taken back.
 */
export class Trials {
  private readonly witnesses: readonly Witness[];
  private readonly conditions: Conditions;
  private count = 0;

  public constructor(
    private readonly cluster: Cluster,
    serverUrl: string | undefined,
    private readonly driver: DriverJudge | undefined,
    /** Undefined on a Rancher that others use. */
    private readonly tokens: TokenSettings | undefined,
    private readonly report: (text: string) => void,
  ) {
    this.conditions = new Conditions(cluster);
    this.witnesses = [
      ...(serverUrl ? [new Logins(cluster, serverUrl)] : []),
      new ManagementIds(cluster),
      new ImportManifests(cluster),
      new Members(cluster),
      this.conditions,
    ];
  }

  /**
   * Tries changes of an object.
   *
   * @param doubtful those about which lint and the dry run differ
   */
  public async of(judged: Judged, doubtful: readonly Change[]): Promise<Tried> {
    if (judged.object.kind === HARVESTER_CONFIG_KIND) {
      return this.driver ? this.machinesOf(this.driver, judged) : new Map();
    }
    const { tokens } = this;
    if (tokens?.tells(judged.object)) {
      return LOGINS.take(async () => tokens.of(judged.object, doubtful));
    }
    return isPassword(judged.object)
      ? LOGINS.take(async () => this.each(judged, doubtful))
      : this.each(judged, doubtful);
  }

  private async each(judged: Judged, doubtful: readonly Change[]): Promise<Tried> {
    const tried = new Map<string, string | undefined>();
    const changes = doubtful.filter((change) => canBeTried(judged, change));
    if (changes.length === 0) {
      return tried;
    }
    await this.try(judged, judged.object, async (unchanged) => {
      await (this.conditions.tells(unchanged) && sleep(REPORT_MS));
      return this.see(unchanged);
    });
    const atOnce = hasOwnName(judged) ? CLUSTERS_AT_ONCE : 1;
    for (let first = 0; first < changes.length; first += atOnce) {
      // what the trial before left is not about this change
      await (judged.mode === 'edit' && this.see(judged.object));
      await Promise.all(
        changes.slice(first, first + atOnce).map(async ({ what, manifest }) => {
          const failure = await this.try(judged, manifest, async (changed) =>
            this.failureOf(changed),
          );
          tried.set(what, failure);
          const { kind, metadata } = judged.object;
          this.report(`  ${kind}/${metadata.name} ${judged.mode} ${what}: ${failure ?? 'works'}`);
        }),
      );
    }
    return tried;
  }

  /** The node driver tries all that Rancher took: it refuses what lint is silent about, too. */
  private async machinesOf(driver: DriverJudge, { object, answers }: Judged): Promise<Tried> {
    const tried = new Map<string, string | undefined>();
    const taken = [...answers].filter(([, refusal]) => refusal === undefined);
    const unchanged = await driver.verdictOf(object, object);
    if (unchanged === undefined || unchanged.failure !== undefined) {
      // a machine that another reason prevents shows nothing about a change
      this.report(`  ${object.metadata.name}: ${unchanged?.failure ?? 'no end'}`);
      return tried;
    }
    for (let first = 0; first < taken.length; first += MACHINES_AT_ONCE) {
      const some = taken.slice(first, first + MACHINES_AT_ONCE);
      await Promise.all(
        some.map(async ([{ what, manifest }]) => {
          const verdict = await driver.verdictOf(manifest, object);
          if (verdict) {
            tried.set(what, verdict.failure);
          }
          const shown = verdict ? (verdict.failure ?? 'works') : 'no end';
          this.report(`  ${object.metadata.name} ${what}: ${shown}`);
        }),
      );
    }
    return tried;
  }

  private async see(unchanged: Manifest): Promise<undefined> {
    for (const witness of this.witnesses.filter((each) => each.tells(unchanged))) {
      await witness.see(unchanged);
    }
  }

  private async failureOf(changed: Manifest): Promise<string | undefined> {
    for (const witness of this.witnesses.filter((each) => each.tells(changed))) {
      const failure = await witness.failureOf(changed);
      if (failure !== undefined) {
        return failure;
      }
    }
    return undefined;
  }

  /** Applies an object, asks about it, and restores what was there. The refusal, or the answer. */
  private async try(
    { mode, object }: Judged,
    manifest: Manifest,
    ask: (stored: Manifest) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const own = mode === 'create' ? this.underOwnName(manifest, object) : manifest;
    try {
      await applyPatiently(this.cluster, own);
      return await ask(own);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      return error.message;
    } finally {
      await this.restore(own, mode === 'edit' ? object : undefined);
    }
  }

  private async restore(tried: Manifest, before: Manifest | undefined): Promise<void> {
    const isSame = before?.metadata.name === tried.metadata.name;
    if (isSame && (await this.isApplied(before!))) {
      return;
    }
    const live = await this.cluster.read(refOf(tried));
    if (live) {
      await this.cluster.delete(refOf(tried), live.metadata.uid);
    }
    if (isSame && !(await this.isApplied(before!))) {
      this.report(`  ${tried.kind}/${tried.metadata.name} was not restored`);
    }
  }

  private async isApplied(object: Manifest): Promise<boolean> {
    try {
      await applyPatiently(this.cluster, object);
      return true;
    } catch (error) {
      // some changes cannot be taken back
      if (error instanceof ApiError) {
        return false;
      }
      throw error;
    }
  }

  /** Rancher needs minutes to delete a Cluster: each trial has one of its own. */
  private underOwnName(manifest: Manifest, object: Manifest): Manifest {
    if (manifest.kind !== CLUSTER || manifest.metadata.name !== object.metadata.name) {
      return manifest;
    }
    const number = String(++this.count).padStart(3, '0');
    const id = String(annotationsOf(object)[ANNOTATION_MANAGEMENT_CLUSTER_NAME]);
    const text = JSON.stringify(manifest).replaceAll(`"${id}"`, `"${id}${number}"`);
    const { metadata, ...rest } = JSON.parse(text) as Manifest;
    return { ...rest, metadata: { ...metadata, name: `${metadata.name}-${number}` } } as Manifest;
  }
}

function hasOwnName({ mode, object }: Judged): boolean {
  return mode === 'create' && object.kind === CLUSTER;
}

/**
 * Whether a change can be undone: not of what a server has once, nor of what two Clusters share, nor
 * of a binding, which keeps its members, except for the principal of a user.
 */
function canBeTried({ object, mode }: Judged, { manifest }: Change): boolean {
  const isCopy = mode === 'edit' && manifest.metadata.name !== object.metadata.name;
  const isShared = isCopy && object.kind === CLUSTER;
  const isKept = mode === 'edit' && BINDING.test(object.kind) && !isOfPrincipal(object, manifest);
  return !isOnce(object) && !isShared && !isKept;
}
