import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { newApp } from '../support/programs';

const chart = (vip: string): HarvesterChart => new HarvesterChart(newApp(), 'dc1', { version: '1.7.2', vip });

test.each(['harvester.example.com', '10.10.0.999', '10.10.0.10:6443', 'https://10.10.0.10', '10.10.0.0/24', '[fd00::10]', ''])('refuses the management address %j', (vip) => {
  expect(() => chart(vip)).toThrow(
    `[dc1] vip: must be an IP address, got ${JSON.stringify(vip)}. Fix: write only the address, e.g. 10.10.0.10, without a scheme and a port`);
});

test.each(['10.10.0.10', 'fd00::10'])('accepts the management address %s', (vip) => { expect(chart(vip).vip).toBe(vip); });
