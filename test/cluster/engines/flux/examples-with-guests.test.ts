import { testExamples } from './examples';

testExamples(true);
