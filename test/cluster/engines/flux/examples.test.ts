import { testExamples } from './examples';

testExamples(false);
