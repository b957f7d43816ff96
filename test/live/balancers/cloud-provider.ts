import { ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The variable of the environment that names the program `harvester-cloud-provider`. */
export const CLOUD_PROVIDER_VARIABLE = 'LIVE_CLOUD_PROVIDER';

const START_MS = 60_000;
const LOOK_MS = 200;

/** What the cloud provider prints once it watches Services. @see kubernetes/cloud-provider:controllers/service/controller.go Run */
const STARTED = 'Starting service controller';

/** How a guest cluster runs the cloud provider. */
export interface CloudProviderOptions {
  /** The kubeconfig of the account on Harvester: what the Secret of a cloud config contains. */
  readonly cloudConfig: string;
  /** The path of a kubeconfig for the guest cluster. */
  readonly guest: string;
  /** The value `global.cattle.clusterName` of the chart. */
  readonly clusterName: string;
  /** The value `extraArgs` of the chart. @default - no arguments */
  readonly extraArgs?: readonly string[];
  /** For the cloud config, and for what the program prints. */
  readonly folder: string;
}

/** A cloud provider that runs with the arguments of the chart harvester-cloud-provider. */
export class CloudProvider {
  /** Starts it and waits until it watches Services. Throws what it prints where it ends. */
  public static async start(
    program: string,
    options: CloudProviderOptions,
  ): Promise<CloudProvider> {
    const { cloudConfig, guest, clusterName, extraArgs = [], folder } = options;
    const file = join(folder, `cloud-config-${clusterName}`);
    writeFileSync(file, cloudConfig, { mode: 0o600 });
    // those of the chart: harvester/charts:charts/harvester-cloud-provider/templates/deployment.yaml
    const chartArgs = [`--cloud-config=${file}`, `--cluster-name=${clusterName}`, ...extraArgs];
    // those of a process outside of a cluster
    const ownArgs = [
      `--kubeconfig=${guest}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--webhook-secure-port=0',
    ];
    const child = spawn(program, [...chartArgs, ...ownArgs], {
      env: { ...process.env, KUBECONFIG: guest },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new CloudProvider(child, join(folder, `cloud-provider-${clusterName}.log`));
    await started.isRunning();
    return started;
  }

  private printed = '';
  private ended = false;

  private constructor(
    private readonly child: ChildProcess,
    log: string,
  ) {
    const file = createWriteStream(log, { flags: 'a' });
    const keep = (chunk: Buffer): void => {
      this.printed += chunk.toString('utf8');
      file.write(chunk);
    };
    child.stdout!.on('data', keep);
    child.stderr!.on('data', keep);
    child.once('error', (error) => keep(Buffer.from(error.message)));
    child.once('close', () => (this.ended = true));
  }

  /** What it printed. */
  public get output(): string {
    return this.printed;
  }

  public async stop(): Promise<void> {
    if (!this.ended) {
      this.child.kill('SIGTERM');
    }
    for (let waited = 0; !this.ended; waited += LOOK_MS) {
      if (waited > 10_000) {
        this.child.kill('SIGKILL');
      }
      await sleep(LOOK_MS);
    }
  }

  private async isRunning(): Promise<void> {
    for (let waited = 0; !this.printed.includes(STARTED); waited += LOOK_MS) {
      if (this.ended || waited > START_MS) {
        await this.stop();
        throw new Error(`the cloud provider did not start:\n${this.printed}`);
      }
      await sleep(LOOK_MS);
    }
  }
}
