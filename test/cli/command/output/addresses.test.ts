import { writeFileSync } from 'fs';
import { join } from 'path';
import { HarvesterLoadBalancer } from '../../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../../src/guest/balancer/service-address';
import { GuestChart } from '../../../../src/guest/guest-chart';
import { IpPool } from '../../../../src/harvester/ip-pool/ip-pool';
import { newApp, newHarvester } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

function platform(): string {
  const app = newApp();
  IpPool.globalPool(newHarvester(app), 'all', {
    ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.10', end: '10.0.0.11' }],
  });
  const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' });
  new HarvesterLoadBalancer(shop, 'web', {
    ipam: Ipam.pool(),
    ports: [{ port: 443 }],
    selector: { app: 'web' },
  });
  app.synth();
  return app.outdir;
}

const LIVE = `apiVersion: loadbalancer.harvesterhci.io/v1beta1
kind: IPPool
metadata: {name: live, uid: x}
spec: {ranges: [{subnet: 10.9.0.5/32}]}
status: {allocated: {10.9.0.5: vms/x}}
`;

test('reads an output folder', async () => {
  const { stdout, exitCode } = await runCli('addresses', platform());
  expect(exitCode).toBe(0);
  expect(stdout).toContain('dc1        all   -        10.0.0.10-10.0.0.11  2     1\n');
  expect(stdout).toContain(
    'shop    default/web    443/TCP  pool  all   -        the global pool, since nothing else fits\n',
  );
});

test('knows what is live, and any folder of YAML', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'pool.yaml'), LIVE);
  const pools = async (...args: string[]) =>
    JSON.parse((await runCli('addresses', ...args, '--output', 'json')).stdout).pools;
  expect(await pools(root)).toEqual([
    { harvester: 'input', pool: 'live', ranges: ['10.9.0.5'], network: '', size: '1', free: '0' },
  ]);
  expect(
    (await pools(platform(), '--world', root)).map(({ harvester, pool }: any) => [harvester, pool]),
  ).toEqual([
    ['dc1', 'all'],
    ['dc1', 'live'],
  ]);
});

test('exits with 1 if a path does not exist', async () => {
  expect((await runCli('addresses', join(tempFolder(), 'none'))).exitCode).toBe(1);
});
