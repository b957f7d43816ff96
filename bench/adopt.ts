import { spawnSync } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { readAssembly } from '#lib/engine/read/load-assembly';
import { platformApp } from './platform';
import { compiledCli } from '../test/cluster/doubles/cli-process';

/** Tenants of the platform that is adopted. */
const TENANTS = 80;

/** Figures of an adoption of manifests, as a whole process. */
export interface AdoptFigures {
  readonly objects: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/**
 * Adopts a platform of about a thousand objects from its manifests: the time of reading clusters is
 * that of their servers.
 */
export function adoptFigures(tenants = TENANTS): AdoptFigures {
  const folder = mkdtempSync(join(tmpdir(), 'bench-adopt-'));
  try {
    const [dist, memory, hook] = [
      join(folder, 'dist'),
      join(folder, 'memory'),
      join(folder, 'hook.js'),
    ];
    platformApp(tenants, dist).synth();
    const { objects, targets } = readAssembly(dist);
    // those that wait for late values are in no file
    const written = objects.filter(({ file }) => file !== undefined);
    const filled = targets.filter(({ name }) => written.some(({ target }) => target === name));
    const from = filled.flatMap(({ name, kind, version }) => [
      '--from',
      `${name}:${kind}@${version}=${join(dist, name)}`,
    ]);
    writeFileSync(
      hook,
      'process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));',
    );
    const cli = ['--require', hook, join(compiledCli(), 'bin', 'cdk8s-harvester')];
    const args = [
      ...cli,
      'adopt',
      ...from,
      '--server-url',
      'https://rancher.example.com',
      '--output-dir',
      join(folder, 'platform'),
    ];
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, BENCH_MEMORY: memory },
    });
    const seconds = (performance.now() - start) / 1000;
    if (status !== 0) {
      throw new Error(`adopt: exit code ${String(status)}\n${stderr}`);
    }
    return {
      objects: written.length,
      seconds,
      megabytes: Math.round(Number(readFileSync(memory, 'utf8')) / 1024),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The section of bench/speed.md. */
export function adoptSection({ objects, seconds, megabytes }: AdoptFigures): string {
  return `
## Adopt

\`adopt\` of the manifests of ${objects.toLocaleString('en')} objects takes ${seconds.toFixed(1)} s and at most ${megabytes} MB of memory, as a whole process
including its start. Reading them from clusters takes as long as the servers need.
`;
}
