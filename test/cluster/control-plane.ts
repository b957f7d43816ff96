import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from './client';
import { Daemon, removeAtExit, removeNow } from './daemon';

const START_TIMEOUT_MS = 300_000;
const START_ATTEMPTS = 3;

/**
 * These servers live for minutes at most, on machines with memory to spare: collecting garbage at
 * four times what is in use, not at twice, takes a quarter of their CPU time away.
 */
const SHORT_LIVED = { GOGC: '400' };

export interface ControlPlaneOptions {
  /** Folder with the programs etcd, kube-apiserver and kube-controller-manager. */
  readonly assets: string;

  /**
   * Whether to run the controllers: the deletion of namespaces, service accounts and their token
   * Secrets, garbage collection.
   *
   * @default - where the folder of programs has kube-controller-manager
   */
  readonly controllers?: boolean;

  /**
   * Whether to keep a log of the requests that create, change or delete objects.
   *
   * @default false
   */
  readonly audit?: boolean;

  /**
   * A folder in which another control plane saved what it stored, which this one begins with.
   *
   * @default - it begins empty
   */
  readonly saved?: string;
}

/**
 * What belongs together below the folder of a control plane: the data of etcd, and the key that
 * signed the tokens in them.
 */
const STORED = ['etcd', 'service-account.key'];

/** Who asked for what; without contents, which hold secrets. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** Whether this project built the programs, whose controllers empty namespaces without a wait. */
function areOwn(assets: string): boolean {
  return fs.existsSync(path.join(assets, 'controlplane'));
}

/** Archives made for KUBEBUILDER_ASSETS lack the controllers as a rule. */
export function hasControllers(assets: string): boolean {
  return fs.existsSync(path.join(assets, 'kube-controller-manager'));
}

/**
 * A real Kubernetes control plane on the loopback interface, without nodes: etcd, API server and,
 * where asked for, the controllers.
 */
export class ControlPlane implements Connection {
  /** Starts a control plane and returns when it serves. */
  public static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    for (let attempt = 1; ; attempt++) {
      const plane = new ControlPlane(options);
      try {
        await plane.boot();
        return plane;
      } catch (error) {
        const logs = plane.logs();
        await plane.stop();
        // a port was free when we chose it, and another program was faster to bind it
        if (attempt < START_ATTEMPTS && logs.includes('address already in use')) {
          continue;
        }
        // the logs of all programs follow
        const [reason] = (error as Error).message.split('\n');
        throw new Error(`the control plane did not start: ${reason}\n${logs}`);
      }
    }
  }

  public readonly token = randomBytes(16).toString('hex');

  private readonly folder = fs.mkdtempSync(
    path.join(os.tmpdir(), 'cdk8s-harvester-control-plane-'),
  );
  private readonly daemons: Daemon[] = [];
  private address?: string;

  private constructor(private readonly options: ControlPlaneOptions) {
    removeAtExit(this.folder);
  }

  public get url(): string {
    if (!this.address) {
      throw new Error('the control plane has no address before it is started');
    }
    return this.address;
  }

  /** The certificates to verify the API server with. */
  public get ca(): string {
    return fs.readFileSync(this.caFile, 'utf8');
  }

  /**
   * The API server makes its certificate when it starts; the file holds it and the authority that
   * signed it.
   */
  public get caFile(): string {
    return path.join(this.folder, 'certificates', 'apiserver.crt');
  }

  /** The log of requests, a JSON object a line; written before a request is answered. */
  public get auditFile(): string {
    return path.join(this.folder, 'audit.log');
  }

  /**
   * Writes a kubeconfig for a cluster admin and returns its path, which lasts as long as the
   * control plane does.
   */
  public writeKubeconfig(): string {
    const file = path.join(this.folder, 'kubeconfig.json');
    const name = 'test';
    fs.writeFileSync(
      file,
      JSON.stringify({
        'apiVersion': 'v1',
        'kind': 'Config',
        'clusters': [
          { name, cluster: { 'server': this.url, 'certificate-authority': this.caFile } },
        ],
        'users': [{ name, user: { token: this.token } }],
        'contexts': [{ name, context: { cluster: name, user: name } }],
        'current-context': name,
      }),
      { mode: 0o600 },
    );
    return file;
  }

  /**
   * What all its servers have taken of the processors so far, in milliseconds; undefined if the
   * system does not report it.
   */
  public get cpuMs(): number | undefined {
    const each = this.daemons.map(({ cpuMs }) => cpuMs);
    return each.reduce(
      (sum, ms) => (sum === undefined || ms === undefined ? undefined : sum + ms),
      0,
    );
  }

  /** The last lines that each server logged. */
  public logs(lines = 20): string {
    return this.daemons.map((daemon) => daemon.lastLines(lines)).join('\n');
  }

  /** Saves what it stores to a folder, unless another one of its kind did so before. */
  public save(folder: string): void {
    const copy = fs.mkdtempSync(`${folder}-`);
    this.daemons[0].whilePaused(() => {
      copyInto(copy, ...STORED.map((part) => path.join(this.folder, part)));
    });
    try {
      fs.renameSync(copy, folder);
    } catch (error) {
      fs.rmSync(copy, { recursive: true });
      if (!fs.existsSync(folder)) {
        throw error;
      }
    }
  }

  public async stop(): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.kill()));
    removeNow(this.folder);
  }

  private async boot(): Promise<void> {
    const [etcdPort, peerPort, apiPort] = await freePorts(3);
    this.address = `https://127.0.0.1:${apiPort}`;
    const { saved } = this.options;
    if (saved !== undefined) {
      copyInto(this.folder, ...STORED.map((part) => path.join(saved, part)));
    }
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    this.start('etcd', this.etcdArguments(etcdUrl, `http://127.0.0.1:${peerPort}`));
    this.start('kube-apiserver', this.apiServerArguments(etcdUrl, apiPort));
    await this.until(
      'the API server is ready',
      async () => (await this.client().get('/readyz')).status === 200,
    );
    if (this.options.controllers ?? hasControllers(this.options.assets)) {
      this.startControllers();
      // made by a controller, so it shows that they run
      const account = '/api/v1/namespaces/default/serviceaccounts/default';
      await this.until(
        'the controllers run',
        async () => (await this.client().get(account)).status === 200,
      );
    }
  }

  private startControllers(): void {
    const kubeconfig = this.writeKubeconfig();
    // there are no nodes to look after
    const without = ['nodeipam', 'nodelifecycle', 'cloud-node-lifecycle'];
    const env: NodeJS.ProcessEnv = {};
    if (areOwn(this.options.assets)) {
      without.push('namespace');
      env.NAMESPACES_BY = kubeconfig;
    }
    this.start('kube-controller-manager', this.controllerArguments(kubeconfig, without), env);
  }

  private start(program: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
    const file = path.join(this.options.assets, program);
    this.daemons.push(new Daemon(file, args, this.folder, { env: { ...SHORT_LIVED, ...env } }));
  }

  private client(): Client {
    return new Client(this);
  }

  private async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    // refused connections and missing certificate files are what waiting looks like
    while (!(await condition().catch(() => false))) {
      this.daemons.forEach((daemon) => daemon.assertRunning());
      if (Date.now() > deadline) {
        throw new Error(`waited ${START_TIMEOUT_MS / 1000} s until ${what}`);
      }
      await sleep(50);
    }
  }

  private etcdArguments(url: string, peerUrl: string): string[] {
    return [
      '--name=default',
      `--data-dir=${path.join(this.folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      // nothing here has to survive a power cut
      '--unsafe-no-fsync',
    ];
  }

  private apiServerArguments(etcdUrl: string, port: number): string[] {
    const key = this.writeServiceAccountKey();
    const tokens = path.join(this.folder, 'tokens.csv');
    fs.writeFileSync(tokens, `${this.token},admin,admin,system:masters\n`, { mode: 0o600 });
    return [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${path.dirname(this.caFile)}`,
      '--authorization-mode=RBAC,Node',
      '--anonymous-auth=false',
      `--token-auth-file=${tokens}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--service-cluster-ip-range=10.43.0.0/16',
      ...(this.options.audit ? this.auditArguments() : []),
    ];
  }

  private auditArguments(): string[] {
    const policy = path.join(this.folder, 'audit-policy.json');
    fs.writeFileSync(policy, JSON.stringify(AUDIT_POLICY));
    return [`--audit-policy-file=${policy}`, `--audit-log-path=${this.auditFile}`];
  }

  private controllerArguments(kubeconfig: string, without: readonly string[]): string[] {
    return [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${['*', ...without.map((name) => `-${name}`)].join(',')}`,
      `--root-ca-file=${this.caFile}`,
      `--service-account-private-key-file=${this.writeServiceAccountKey()}`,
      '--leader-elect=false',
      '--secure-port=0',
    ];
  }

  private writeServiceAccountKey(): string {
    const file = path.join(this.folder, 'service-account.key');
    if (!fs.existsSync(file)) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      fs.writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    }
    return file;
  }
}

/** Copies files and folders without the zeros at the end of logs, for which etcd keeps 128 MB. */
function copyInto(folder: string, ...paths: readonly string[]): void {
  execFileSync('cp', ['--recursive', '--sparse=always', ...paths, folder]);
}

/** Free ports of the loopback interface; all are held until all are chosen, so they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<net.Server>((resolve, reject) => {
          const server = net.createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
