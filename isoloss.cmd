@echo off
rem Starts isoloss on Windows: builds it where there is no jar yet, then runs java. In a package, where isoloss.jar lies beside this
rem file, there is nothing to build; a checkout is built once, and again after "del cli\target\isoloss.jar".
setlocal
set "root=%~dp0"
set "java=java.exe"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
"%java%" --version 2>nul | findstr /r /c:"^openjdk 2[5-9]" /c:"^openjdk [3-9][0-9]" /c:"^java 2[5-9]" /c:"^java [3-9][0-9]" >nul
if errorlevel 1 (
  echo isoloss: error: no JDK 25 or newer found ^(JAVA_HOME, PATH^); install one, for example Temurin 25 from https://adoptium.net, or set JAVA_HOME 1>&2
  exit /b 1
)
set "jar=%root%isoloss.jar"
if exist "%jar%" goto start
set "jar=%root%cli\target\isoloss.jar"
if exist "%jar%" goto start
echo building isoloss; this happens once 1>&2
call "%root%mvnw.cmd" -q -B -ntp -f "%root%pom.xml" -Plauncher -pl cli -am package 1>&2
if errorlevel 1 (
  echo isoloss: error: the build failed; what Maven says is above 1>&2
  exit /b 1
)
:start
"%java%" -XX:+UseSerialGC -XX:MaxRAMPercentage=60 -Djava.awt.headless=true --enable-native-access=ALL-UNNAMED -Xlog:disable -jar "%jar%" %*
exit /b %errorlevel%
