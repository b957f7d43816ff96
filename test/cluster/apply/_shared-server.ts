import { execFileSync } from 'child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { Manifest } from '../../../src/core/manifest/manifest';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { appOf, withMembership } from '../../../src/engine/fields/apply-set';
import { ManagedFieldsOptions } from '../../../src/engine/fields/managed-fields';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { Plan, PlanStep } from '../../../src/engine/plan/plan';
import { ApplyRunOptions, applyProgram } from '../../../src/engine/run/apply-program';
import { RunEvent } from '../../../src/engine/run/context/events';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { makePlan } from '../../engine/plan/_planning';
import { fakeTargets } from '../../support/fake-cluster';
import { clusters } from '../clusters';
import { ControlPlane } from '../control-plane';

export const APP = appOf('managed-fields-test');

export interface Fields {
  readonly [field: string]: unknown;
}

/** An API server on which kubectl and this program write the same objects in turn. */
export class SharedServer {
  public static async start(): Promise<SharedServer> {
    return new SharedServer(
      await ControlPlane.start({ assets: clusters().assets, controllers: false }),
    );
  }

  public readonly api: ApiCluster;
  /** The events of the runs of this program. */
  public readonly events: RunEvent[] = [];
  private readonly kubeconfig: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'managed-fields-'));

  private constructor(private readonly plane: ControlPlane) {
    this.kubeconfig = plane.writeKubeconfig();
    this.api = new ApiCluster(
      new NodeTransport({
        name: 'rancher',
        server: new URL(plane.url),
        ca: plane.ca,
        credentials: async () => ({ headers: { authorization: `Bearer ${plane.token}` } }),
      }),
    );
  }

  public async stop(): Promise<void> {
    this.api.close();
    await this.plane.stop();
    rmSync(this.folder, { recursive: true });
  }

  public kubectl(...args: string[]): string {
    const program = join(clusters().assets, 'kubectl');
    return execFileSync(program, ['--kubeconfig', this.kubeconfig, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  public kubectlApply(manifest: Manifest, ...args: string[]): void {
    const file = join(this.folder, 'object.json');
    writeFileSync(file, JSON.stringify(manifest));
    this.kubectl('apply', '-f', file, ...args);
  }

  /** Applies an object with this program; returns the failure, if any. */
  public async apply(manifest: Manifest, options: Partial<ApplyRunOptions> = {}): Promise<string> {
    const onEvent = (event: RunEvent): void => {
      this.events.push(event);
    };
    const { failed } = await applyProgram(this.programOf(manifest), {
      rolls: rollsByImpact,
      app: APP,
      prune: false,
      onEvent,
      ...options,
    });
    return failed.map(({ message }) => message).join('\n');
  }

  /** As it is read from a file. */
  public async plan(manifest: Manifest, options: ManagedFieldsOptions = {}): Promise<Plan> {
    const program = this.programOf(manifest);
    const plan = await makePlan(
      { ...program, graph: buildGraph(program.assembly, program.manifests) },
      {
        fieldManager: APP.fieldManager,
        inventory: inventoryReader(APP),
        finish: withMembership(APP),
        ...options,
      },
    );
    return JSON.parse(JSON.stringify(plan)) as Plan;
  }

  public async stepOf(manifest: Manifest, options: ManagedFieldsOptions = {}): Promise<PlanStep> {
    return (await this.plan(manifest, options)).steps.find(({ id }) =>
      id.endsWith(`/${manifest.metadata.name}`),
    )!;
  }

  public async live({
    apiVersion,
    kind,
    metadata: { name, namespace },
  }: Manifest): Promise<LiveObject> {
    return (await this.api.read({ apiVersion, kind, name, namespace }))!;
  }

  /** `<manager> <operation> <apiVersion> <subresource>`, sorted. */
  public async managers(manifest: Manifest): Promise<string[]> {
    const {
      metadata: { managedFields = [] },
    } = await this.live(manifest);
    return managedFields
      .map(({ manager, operation, apiVersion, subresource }) =>
        [manager, operation, apiVersion, subresource]
          .filter((text) => text !== undefined)
          .join(' '),
      )
      .sort();
  }

  /** The messages about written objects. */
  public get messages(): (string | undefined)[] {
    return this.events.flatMap((event) =>
      event.type === 'node' && (event.state === 'configured' || event.state === 'adopted')
        ? [event.message]
        : [],
    );
  }

  private programOf({
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    ...fields
  }: Manifest): RunProgram {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.object('rancher', apiVersion, kind, `${namespace}/${name}`, { ...fields, metadata });
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
      targets: fakeTargets({ rancher: this.api }, { rancher: target }),
    };
  }
}
