import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { RancherChart } from '../../src/rancher/rancher-chart';
import { newApp } from '../support/programs';

const chart = (vip: string): HarvesterChart =>
  new HarvesterChart(newApp(), 'dc1', { version: '1.7.2', vip });

test.each([
  'harvester.example.com',
  '10.10.0.999',
  '10.10.0.10:6443',
  'https://10.10.0.10',
  '10.10.0.0/24',
  '[fd00::10]',
  '',
])('refuses the management address %j', (vip) => {
  expect(() => chart(vip)).toThrow(
    `[dc1] vip: must be an IP address, got ${JSON.stringify(vip)}. Fix: write only the address, e.g. 10.10.0.10, without a scheme and a port`,
  );
});

test.each(['10.10.0.10', 'fd00::10'])('accepts the management address %s', (vip) => {
  expect(chart(vip).vip).toBe(vip);
});

test('refuses one management address for two Harvester clusters', () => {
  const app = newApp();
  new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  expect(() => new HarvesterChart(app, 'dc2', { version: '1.7.2', vip: '10.10.0.10' })).toThrow(
    '[dc2] vip: must be the address of one Harvester cluster, got "10.10.0.10": dc1 has it. Fix: correct one of the two',
  );
});

test.each(['https://localhost', 'https://127.0.0.1:8443', 'https://[::1]'])(
  'refuses %s as the URL of a Rancher',
  (serverUrl) => {
    expect(() => new RancherChart(newApp(), 'rancher', { version: '2.13.8', serverUrl })).toThrow(
      'serverUrl: must not be a local address',
    );
  },
);
