import { RunSummary } from './context/events';
import { ObjectPlace, RunContext, RunOptions } from './context/run-context';
import { inventoryEntryOf } from './work/apply-worker';
import { lateIdsIn } from '../../core/late/late-text';
import { annotationsOf, Manifest, pointerOf, valueAt, itemsAt } from '../../core/manifest/manifest';
import { API_VERSIONS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { AssemblyObject } from '../../core/output/assembly';
import { secretPathsOf, sensitiveIds } from '../../core/secret/redactor';
import {
  RegisteredCluster,
  registeredBy,
} from '../../harvester/settings/catalogue/registration.facts';
import { ANNOTATION_SETTING_HASH } from '../../harvester/settings/entry/setting.facts';
import { CLUSTER_AGENT } from '../../rancher/cluster/cluster.facts';
import { agentWords } from '../agents/agent-pods';
import { RunProgram } from '../auth/run-program';
import { LiveObject, refOf } from '../cluster/cluster';
import { withMembership } from '../fields/apply-set';
import { isProvisioningCluster, isRegistration } from '../graph/object-index';
import { writtenDigest } from '../inventory/standing';
import { LateResolver } from '../late/late-resolver';
import { readinessOf, readinessOn, readyContext } from '../ready/wait-ready';

/** Where a Harvester is registered, and where it is about to be. */
export interface RegistrationMove {
  readonly harvester: string;
  /** Hosts of Rancher. */
  readonly from: string;
  readonly to: string;
  /** Management cluster IDs. */
  readonly fromId: string;
  readonly toId: string;
  /**
   * The namespaces on the Harvester whose projects the new Rancher does not have, as `<namespace>:
   * <project>`.
   */
  readonly homeless: readonly string[];
}

/** Options of a registration. */
export interface RegisterRunOptions extends RunOptions {
  /** The target to register. */
  readonly harvester: string;
  /** Register even if the agent is connected. @default false */
  readonly acceptConnected?: boolean;
  /**
   * Confirms a move to another Rancher, or to another management cluster ID; false cancels it.
   * @default - no confirmation
   */
  readonly confirm?: (move: RegistrationMove) => Promise<boolean>;
}

/**
 * Prefix of the Secrets with the credentials of the agent, of which its Deployment mounts one.
 * @see rancher/rancher:pkg/systemtemplate/template.go
 */
const CREDENTIALS = 'cattle-credentials-';

/** The parts of an import, as objects of the program. */
interface Parts {
  readonly setting: AssemblyObject;
  readonly cluster: AssemblyObject;
}

/**
 * Registers a Harvester with its Rancher once more: after a changed token, certificate authority or
 * address of Rancher, or with another Rancher. Waits until the agent is connected, or reports why
 * it is not. Credentials of earlier registrations are deleted then.
 *
 * Harvester fetches a registration URL once, as long as the Setting keeps its digest: the command
 * writes the current URL, or removes the digest.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go, cluster_registration_url.go
 */
export async function registerHarvester(
  program: RunProgram,
  options: RegisterRunOptions,
): Promise<RunSummary> {
  const parts = partsOf(program, options.harvester);
  const run = new RunContext(program, options);
  const state = await run.during(async () => {
    let now: 'unchanged' | 'configured' | 'kept' = 'unchanged';
    await run.begin();
    const registration = new Registration(run, parts);
    const { manifest, live, wanted } = await registration.read();
    const move = await registration.moveOf(live, wanted);
    if (move && (await options.confirm?.(move)) === false) {
      now = 'kept';
    } else if (options.acceptConnected || move || !(await registration.isDone(live, manifest))) {
      now = 'configured';
      await registration.write(manifest, live);
      await registration.wait(manifest);
      await registration.dropCredentials();
    }
    run.emit(
      parts.setting.id,
      parts.setting.target,
      now,
      now === 'unchanged' ? 'its agent is connected' : undefined,
    );
    return now;
  });
  const summary: RunSummary = {
    done: state === 'kept' ? [] : [parts.setting.id, parts.cluster.id],
    counts: { [state]: 1 },
    failed: [],
    skipped: [],
    pending: state === 'kept' ? [parts.setting.id] : [],
    interrupted: false,
    seconds: Math.round((run.pacing.clock.now() - run.startedMs) / 1000),
  };
  options.onEvent?.({ type: 'end', summary });
  return summary;
}

function partsOf({ assembly }: RunProgram, harvester: string): Parts {
  const { targets, objects, edges } = assembly;
  const names = targets.filter(({ kind }) => kind === 'harvester').map(({ name }) => name);
  if (!names.includes(harvester)) {
    throw new Error(
      `harvester: must be a Harvester of this program, got ${harvester}. ${names.length > 0 ? `Fix: use one of ${names.join(', ')}` : 'It has none'}`,
    );
  }
  const setting = objects.find((object) => object.target === harvester && isRegistration(object));
  const imports = new Map(objects.filter(isProvisioningCluster).map((each) => [each.id, each]));
  const cluster =
    setting &&
    edges.filter(({ from }) => from === setting.id).flatMap(({ to }) => imports.get(to) ?? [])[0];
  if (!setting || !cluster) {
    throw new Error(
      `${harvester}: the program must declare its import and its registration, got ${setting ? 'only the registration URL' : 'no registration URL'}. Fix: add a HarvesterImport with register: true`,
    );
  }
  return { setting, cluster };
}

/** The registration of one Harvester. */
class Registration {
  private readonly harvester: ObjectPlace;
  private readonly rancher: ObjectPlace;

  public constructor(
    private readonly run: RunContext,
    private readonly parts: Parts,
  ) {
    this.harvester = this.placeOf(parts.setting.target);
    this.rancher = this.placeOf(parts.cluster.target);
  }

  /**
   * Reads the live Setting and what it should be. Throws if Rancher does not have the import yet.
   */
  public async read(): Promise<{
    readonly manifest: Manifest;
    readonly live: LiveObject;
    readonly wanted: RegisteredCluster;
  }> {
    const { program, options, stop, redactor, pacing } = this.run;
    const { setting, cluster } = this.parts;
    const live = await this.harvester.cluster.read(setting, { signal: stop });
    if (!live || this.harvester.keeper.entry(setting.id) === undefined || !(await this.import())) {
      throw new Error(
        `${setting.target}: cannot be registered before the program is applied: ${cluster.target} needs its import first. Fix: run apply, then register again`,
      );
    }
    const template = program.manifests.get(setting.id)!;
    const late = new LateResolver(program.assembly, program.targets, {
      ...pacing,
      timeoutMs: options.timeoutMs,
    });
    for (const id of lateIdsIn(template)) {
      await late.resolve(id);
    }
    for (const secret of late.secrets) {
      redactor.add(secret);
    }
    const manifest = withMembership(options.app)(setting, late.complete(template));
    const wanted = registeredBy(manifest.value);
    if (!wanted) {
      throw new Error(
        `${setting.id}: must contain the URL of an import manifest. Fix: use https://<rancher>/v3/import/<token>_<cluster ID>.yaml`,
      );
    }
    return { manifest, live, wanted };
  }

  /**
   * What a registration with another Rancher or ID changes; undefined if neither changes, or
   * nothing is registered yet.
   */
  public async moveOf(
    { value }: LiveObject,
    { host, clusterId }: RegisteredCluster,
  ): Promise<RegistrationMove | undefined> {
    const before = registeredBy(value);
    if (!before || (before.host === host && before.clusterId === clusterId)) {
      return undefined;
    }
    const namespaces = await this.harvester.cluster.list(API_VERSIONS.CORE, 'Namespace', {
      signal: this.run.stop,
    });
    const projects = await this.rancher.cluster.list(API_VERSIONS.MANAGEMENT, 'Project', {
      signal: this.run.stop,
    });
    const known = new Set(projects.map(({ metadata }) => `${metadata.namespace}:${metadata.name}`));
    const homeless = namespaces.flatMap((namespace) => {
      const project = annotationsOf(namespace)[ANNOTATION_PROJECT_ID];
      return typeof project !== 'string' || known.has(project)
        ? []
        : [`${namespace.metadata.name}: ${project}`];
    });
    return {
      harvester: this.parts.setting.target,
      from: before.host,
      to: host,
      fromId: before.clusterId,
      toId: clusterId,
      homeless,
    };
  }

  /** Whether Harvester has carried the value out, and its agent is connected. */
  public async isDone(live: LiveObject, { value }: Manifest): Promise<boolean> {
    const cluster = await this.import();
    if (
      live.value !== value ||
      readinessOf(live, readyContext(this.harvester.target)).state !== 'ready' ||
      !cluster
    ) {
      return false;
    }
    return (
      (await readinessOn(this.rancher.cluster, cluster, {}, { signal: this.run.stop })).state ===
      'ready'
    );
  }

  /** Writes the URL, or lets Harvester fetch the same URL again. */
  public async write(manifest: Manifest, live: LiveObject): Promise<void> {
    const { cluster, keeper } = this.harvester;
    const { setting } = this.parts;
    const { fieldManager } = this.run.fields;
    this.run.emit(setting.id, setting.target, 'applying');
    if (
      annotationsOf(live)[ANNOTATION_SETTING_HASH] !== undefined &&
      live.value === manifest.value
    ) {
      const hash = pointerOf(['metadata', 'annotations', ANNOTATION_SETTING_HASH]);
      await cluster.patch(
        refOf(live),
        [
          { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
          { op: 'remove', path: hash },
        ],
        { fieldManager, signal: this.run.kill },
      );
      return;
    }
    const withUid = { ...manifest, metadata: { ...manifest.metadata, uid: live.metadata.uid } };
    const { object } = await cluster.apply(withUid, {
      fieldManager,
      force: true,
      signal: this.run.kill,
    });
    keeper.note(
      { ...inventoryEntryOf(setting, manifest), uid: object.metadata.uid },
      writtenDigest(manifest, setting.othersWrite),
    );
  }

  /** Waits until Harvester has fetched the URL, and its agent is connected. */
  public async wait(manifest: Manifest): Promise<void> {
    const { program } = this.run;
    const secretPaths = secretPathsOf(
      program.manifests.get(this.parts.setting.id)!,
      sensitiveIds(program.assembly.lateValues),
    );
    const scrub = (text: string): string => this.run.scrub(text, manifest, secretPaths);
    const { name, version } = this.harvester.target;
    const candidates = async () => [{ name, version, cluster: this.harvester.cluster }];
    for (const [place, object] of [
      [this.harvester, this.parts.setting],
      [this.rancher, this.parts.cluster],
    ] as const) {
      await this.run
        .untilReady(object.id, place, object, {
          lookFurther: async (live) =>
            agentWords(live, this.rancher.cluster, candidates, { signal: this.run.stop }),
          scrub,
        })
        .catch((error: Error) => {
          throw new Error(`${object.id}: ${scrub(error.message)}`, { cause: error });
        });
      this.run.emit(object.id, object.target, 'ready');
    }
  }

  /**
   * Deletes the credentials of earlier registrations. Agents before Rancher 2.12 keep them; later
   * ones delete them after an hour.
   * @see rancher/rancher:pkg/agent/clean/credentials.go
   */
  public async dropCredentials(): Promise<void> {
    const { cluster, target } = this.harvester;
    const { namespace, deployment: name } = CLUSTER_AGENT;
    const agent = await cluster.read(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
      { signal: this.run.stop },
    );
    const mounted = new Set(
      itemsAt(agent, 'spec', 'template', 'spec', 'volumes').map((volume) =>
        valueAt(volume, 'secret', 'secretName'),
      ),
    );
    // pods of an earlier generation still mount the previous one
    const isRolledOut =
      valueAt(agent, 'status', 'observedGeneration') === agent?.metadata.generation &&
      valueAt(agent, 'status', 'updatedReplicas') === valueAt(agent, 'status', 'replicas');
    if (!isRolledOut || ![...mounted].some((secret) => String(secret).startsWith(CREDENTIALS))) {
      return;
    }
    const secrets = await cluster.list(API_VERSIONS.CORE, 'Secret', {
      namespace,
      signal: this.run.stop,
    });
    for (const secret of secrets.filter(
      ({ metadata }) => metadata.name.startsWith(CREDENTIALS) && !mounted.has(metadata.name),
    )) {
      await cluster.delete(refOf(secret), secret.metadata.uid, { signal: this.run.kill });
      this.run.warn(
        `deleted Secret ${namespace}/${secret.metadata.name}, which only an earlier registration used`,
        target.name,
      );
    }
  }

  private async import(): Promise<LiveObject | undefined> {
    return this.rancher.cluster.read(this.parts.cluster, { signal: this.run.stop });
  }

  private placeOf(target: string): ObjectPlace {
    const place = this.run.open.find((each) => each.target.name === target);
    if (!place) {
      throw new Error(`target ${target}: is not reachable. Fix: set --context ${target}=<context>`);
    }
    return place;
  }
}
