import { ApiObject, App, Chart } from 'cdk8s';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { AdditionalCa } from '../../../src/harvester/settings/additional-ca';
import { CERTIFICATE, EXPIRED, KEY, NAMELESS } from '../../core/go/_pem';
import { newApp, newHarvester } from '../../support/programs';

test('there is one for a Harvester, wherever it is asked for', () => {
  const app = newApp();
  const chart = newHarvester(app);
  const inner = new Chart(chart, 'inner');
  expect(AdditionalCa.of(inner)).toBe(AdditionalCa.of(chart));
  expect(AdditionalCa.of(newHarvester(app, '1.7.2', 'dc2'))).not.toBe(AdditionalCa.of(chart));
});

test('writes every certificate once, in the order in which they came', () => {
  const chart = newHarvester(newApp());
  const ca = AdditionalCa.of(chart);
  ca.add(NAMELESS);
  ca.add(`${CERTIFICATE.trim()}${'\n'.repeat(3)}${NAMELESS}`);
  ca.add(CERTIFICATE.replace(/\n/g, '\r\n'));
  expect(chart.toJson()).toEqual([
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'additional-ca' },
      value: NAMELESS + CERTIFICATE,
    },
  ]);
  expect(chart.toJson()).toEqual(chart.toJson());
  expect(kindOf<KindDescription>(ApiObject.of(ca))!.deletion?.policy).toBe('reset');
});

test('writes nothing until there is a certificate', () => {
  const chart = newHarvester(newApp());
  AdditionalCa.of(chart);
  expect(chart.toJson()).toEqual([]);
});

test('refuses text without certificates, and accepts an expired one', () => {
  const chart = newHarvester(newApp());
  const ca = AdditionalCa.of(chart);
  expect(() => ca.add('rancher')).toThrow(
    '[dc1/AdditionalCa] caCertificates: must contain a certificate in PEM form',
  );
  expect(() => ca.add(CERTIFICATE + KEY)).toThrow('caCertificates: holds a private key');
  expect(() => ca.add(CERTIFICATE.replace('MII', 'AII'))).toThrow('cannot be read');
  ca.add(EXPIRED);
  expect(chart.toJson().map(({ value }) => value)).toEqual([EXPIRED]);
});

test('belongs to a Harvester', () => {
  expect(() => AdditionalCa.of(new Chart(new App(), 'plain'))).toThrow(
    '[plain] AdditionalCa must be in a harvester target',
  );
});
